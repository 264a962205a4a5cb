from __future__ import annotations

import asyncio
import gc
import os
import resource
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import Driver, run_script

from folio import AuthAction, AuthStore, CoreError, FolioSdk, SessionAction, SessionState, SessionStore, _callbacks


def test_a_background_thread_pumps_and_no_other_pump_may(tmp_path: Path) -> None:
    with FolioSdk.create(data_directory=tmp_path, background=True) as sdk:
        store = SessionStore.mount(sdk)
        threads: set[int] = set()
        done = threading.Event()

        def listen(state: SessionState) -> None:
            threads.add(threading.get_ident())
            if state.status == "ACTIVE" and not state.signing_out and len(states) > 0:
                done.set()
            states.append(state)

        states: list[SessionState] = []
        store.subscribe(listen)
        store.dispatch(SessionAction.SIGN_OUT)
        assert done.wait(60)
        assert threads and threading.get_ident() not in threads
        with pytest.raises(CoreError):
            sdk.wait_events(0)
        with pytest.raises(CoreError):
            sdk.dispatch_events()


def test_iteration_pumps_by_itself_and_ends_with_the_store(driver: Driver) -> None:
    seen: list[str] = []
    driver.session.dispatch(SessionAction.SIGN_OUT)
    for state in driver.session.states():
        seen.append(str(state.status))
        if len(seen) == 5:
            driver.session.close()
    assert seen == ["ACTIVE", "ACTIVE", "DEACTIVATING", "DEVICE", "ACTIVE"]


def test_iteration_waits_for_the_background_thread(tmp_path: Path) -> None:
    with FolioSdk.create(data_directory=tmp_path, background=True) as sdk:
        store = SessionStore.mount(sdk)
        states = store.states()
        store.dispatch(SessionAction.SIGN_OUT)
        for state in states:
            if state.status == "DEACTIVATING":
                break
        threading.Thread(target=store.close).start()
        assert [str(state.status) for state in states][-1:] in ([], ["DEVICE"], ["ACTIVE"])


def test_threads_that_iterate_pump_for_one_another(driver: Driver) -> None:
    rounds = 20
    stores = [SessionStore.mount(driver.sdk) for _ in range(3)]
    iterations = [store.states() for store in stores]
    seen: list[list[str]] = [[] for _ in stores]

    def work(index: int) -> None:
        for state in iterations[index]:
            seen[index].append(str(state.status))
            if len(seen[index]) == 2 + 4 * rounds:
                return
            if index == 0 and state.status == "ACTIVE" and not state.signing_out:
                stores[0].dispatch(SessionAction.SIGN_OUT)

    threads = [threading.Thread(target=work, args=(index,), daemon=True) for index in range(len(stores))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [["DEVICE", "ACTIVE"] + ["ACTIVE", "DEACTIVATING", "DEVICE", "ACTIVE"] * rounds] * len(stores)


def test_iteration_ends_when_another_thread_closes_the_store(driver: Driver) -> None:
    states = driver.session.states()
    next(states)
    ended = threading.Event()

    def iterate() -> None:
        assert list(states) == []
        ended.set()

    thread = threading.Thread(target=iterate, daemon=True)
    thread.start()
    # It waits, or is about to, once it has made itself the pump.
    while driver.sdk._turn != thread.ident:
        pass
    driver.session.close()
    thread.join()
    assert ended.is_set()


def test_a_thread_that_waits_is_the_only_pump(driver: Driver) -> None:
    thread = threading.Thread(target=lambda: driver.sdk.wait_events(), daemon=True)
    driver.settle()
    thread.start()
    while driver.sdk._turn != thread.ident:
        pass

    async def iterate() -> None:
        await driver.session.states().__anext__()

    for use in (driver.sdk.wait_events, driver.sdk.dispatch_events, lambda: asyncio.run(iterate())):
        with pytest.raises(CoreError) as caught:
            use()
        assert caught.value.code == "BUSY"
    driver.session.dispatch(SessionAction.SIGN_OUT)
    thread.join()
    driver.settle()


@pytest.mark.parametrize("background", [False, True])
def test_iterating_inside_a_listener_is_refused_when_nothing_waits(tmp_path: Path, background: bool) -> None:
    with FolioSdk.create(data_directory=tmp_path, background=background) as sdk:
        store = SessionStore.mount(sdk)
        refused: list[str] = []
        done = threading.Event()

        def listen(state: SessionState) -> None:
            remove()
            try:
                for _ in states:
                    pass
            except CoreError as error:
                refused.append(error.code)
            done.set()

        states = store.states()
        remove = store.subscribe(listen)
        store.dispatch(SessionAction.SIGN_OUT)
        while not background and not done.is_set():
            sdk.wait_events()
        assert done.wait()
        assert refused == ["BUSY"]


def test_a_thread_iterates_while_a_loop_pumps(tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with await FolioSdk.create_async(data_directory=tmp_path) as sdk:
            store = SessionStore.mount(sdk)
            states = store.states()

            def work() -> list[str]:
                return [str(next(states).status) for _ in range(6)]

            store.dispatch(SessionAction.SIGN_OUT)
            seen = await asyncio.to_thread(work)
            with pytest.raises(CoreError):
                next(states)
            return seen

    assert asyncio.run(main()) == ["DEVICE", "ACTIVE", "ACTIVE", "DEACTIVATING", "DEVICE", "ACTIVE"]


def test_a_cancelled_start_frees_its_directory(tmp_path: Path) -> None:
    async def main() -> None:
        start = asyncio.ensure_future(FolioSdk.create_async(data_directory=tmp_path))
        await asyncio.sleep(0)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        async with await FolioSdk.create_async(data_directory=tmp_path):
            pass

    asyncio.run(main())


def test_asyncio_pumps_and_iterates(tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with await FolioSdk.create_async(data_directory=tmp_path) as sdk:
            session, auth = SessionStore.mount(sdk), AuthStore.mount(sdk)
            auth.dispatch(AuthAction.sign_in("ana@example.com"))
            async for state in auth.states():
                if state.type == "AWAITING_CODE":
                    break
            message = sdk.embedded_service.next_message()
            assert message is not None
            auth.dispatch(AuthAction.submit_code(message.code))
            seen = []
            async for current in session.states():
                seen.append(f"{current.identity.type} {current.status}")
                if current.identity.type == "AUTHENTICATED" and current.status == "ACTIVE":
                    session.close()
            with pytest.raises(CoreError):
                sdk.dispatch_events()
            return seen

    seen = asyncio.run(main())
    assert seen[-2:] == ["AUTHENTICATED ACTIVATING", "AUTHENTICATED ACTIVE"]


def test_a_runtime_of_a_closed_loop_is_pumped_by_hand_again(tmp_path: Path) -> None:
    sdk = asyncio.run(FolioSdk.create_async(data_directory=tmp_path))
    store = SessionStore.mount(sdk)
    assert sdk.dispatch_events() == 1
    assert store.state.status == "ACTIVE"
    sdk.shutdown()


def test_a_failed_start_raises_in_asyncio(tmp_path: Path) -> None:
    from folio import SessionStartError

    (tmp_path / "folio.sqlite").write_bytes(b"")
    with pytest.raises(SessionStartError):
        asyncio.run(FolioSdk.create_async(data_directory=tmp_path))


def test_listeners_live_until_they_are_removed(driver: Driver) -> None:
    before = _callbacks.count()

    class Listener:
        calls = 0

        def hear(self, state: SessionState) -> None:
            Listener.calls += 1

    remove = driver.session.subscribe(Listener().hear)
    gc.collect()
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    assert Listener.calls == 4
    assert _callbacks.count() == before + 1
    remove()
    assert _callbacks.count() == before


def test_a_failing_listener_does_not_stop_its_neighbours(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[Any] = []
    heard: list[SessionState] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def fail(state: SessionState) -> None:
        raise ValueError("broken listener")

    driver.session.subscribe(fail)
    driver.session.subscribe(heard.append)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    assert len(heard) == 4
    assert [str(report.exc_value) for report in reported] == ["broken listener"] * 4


def test_a_failing_listener_reaches_the_loops_exception_handler(tmp_path: Path) -> None:
    async def main() -> list[BaseException]:
        reported: list[BaseException] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context["exception"]))
        async with await FolioSdk.create_async(data_directory=tmp_path) as sdk:
            store = SessionStore.mount(sdk)

            def fail(state: SessionState) -> None:
                raise ValueError("broken listener")

            store.subscribe(fail)
            async for state in store.states():
                if state.status == "ACTIVE":
                    break
        return reported

    assert [str(error) for error in asyncio.run(main())] == ["broken listener"]


def test_inside_a_listener_everything_but_pumping_is_allowed(driver: Driver, tmp_path: Path) -> None:
    refused: list[str] = []
    states: list[SessionState] = []

    def listen(state: SessionState) -> None:
        for use in (driver.sdk.wait_events, driver.sdk.dispatch_events, driver.sdk.shutdown):
            try:
                use()
            except CoreError as error:
                refused.append(error.code)
        with pytest.raises(CoreError):
            FolioSdk.create(data_directory=tmp_path / "other")
        driver.sdk.renew()
        other = SessionStore.mount(driver.sdk)
        remove = other.subscribe(states.append)
        remove()
        other.close()
        driver.session.close()

    driver.session.subscribe(listen)
    driver.session.dispatch(SessionAction.DISMISS_NOTICE)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    assert refused == ["BUSY", "BUSY", "BUSY"]


def test_interrupts_of_a_listener_end_the_wait(driver: Driver) -> None:
    def interrupt(state: SessionState) -> None:
        raise KeyboardInterrupt

    driver.session.subscribe(interrupt)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    with pytest.raises(KeyboardInterrupt):
        driver.settle()


def test_a_slow_iteration_sees_every_state(driver: Driver) -> None:
    states = driver.session.states()
    for _ in range(50):
        driver.session.dispatch(SessionAction.SIGN_OUT)
        driver.settle()
    driver.session.close()
    seen = [str(state.status) for state in states]
    assert seen == ["ACTIVE"] + ["ACTIVE", "DEACTIVATING", "DEVICE", "ACTIVE"] * 50


def test_subscribing_and_cancelling_does_not_grow(driver: Driver) -> None:
    def rounds(count: int) -> None:
        for _ in range(count):
            driver.session.subscribe(lambda state: None)()

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    rounds(5_000)
    gc.collect()
    before = resident()
    rounds(100_000)
    gc.collect()
    assert resident() - before < 2 << 20


def test_threads_that_dispatch_and_read_do_not_deadlock(tmp_path: Path) -> None:
    with FolioSdk.create(data_directory=tmp_path, background=True) as sdk:
        store = SessionStore.mount(sdk)
        store.subscribe(lambda state: (store.state, sdk.pending, sdk.session_state))

        def work() -> None:
            for _ in range(20):
                store.dispatch(SessionAction.SIGN_OUT)
                store.subscribe(lambda state: None)()
                sdk.renew()
                assert store.state is not None

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # An ignored sign-out ends without a state, so what is waited for is a dispatch.
        sdk._wait_until(lambda: sdk.pending == 0)
        assert store.state.status == "ACTIVE" and not store.state.signing_out


def test_a_removed_listener_does_not_hear_what_is_queued(driver: Driver) -> None:
    heard: list[SessionState] = []
    other = SessionStore.mount(driver.sdk)
    remove = other.subscribe(heard.append)
    remove()
    remove()
    driver.settle()
    driver.sdk.dispatch_events()
    assert other.state.status == "ACTIVE"
    assert heard == []


def test_a_loop_pumps_a_runtime_that_another_thread_shuts_down(tmp_path: Path) -> None:
    async def main() -> list[str]:
        sdk = await FolioSdk.create_async(data_directory=tmp_path)
        store = SessionStore.mount(sdk)
        seen = []
        async for state in store.states():
            seen.append(str(state.status))
            if state.status == "ACTIVE":
                threading.Thread(target=sdk.shutdown).start()
        return seen

    assert asyncio.run(main()) == ["DEVICE", "ACTIVE"]


def test_a_loop_forgets_a_runtime_that_was_dropped(tmp_path: Path) -> None:
    async def main() -> None:
        sdk = await FolioSdk.create_async(data_directory=tmp_path)
        fd = sdk._fd
        del sdk
        gc.collect()
        assert not asyncio.get_running_loop().remove_reader(fd)
        with pytest.raises(OSError):
            os.fstat(fd)
        # The directory is free again.
        async with await FolioSdk.create_async(data_directory=tmp_path):
            pass

    asyncio.run(main())


def test_a_forked_child_gets_typed_errors_and_exits(driver: Driver) -> None:
    states = driver.session.states()
    remove = driver.session.subscribe(print)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            codes = []
            for use in (
                driver.sdk.dispatch_events,
                driver.sdk.renew,
                driver.sdk.shutdown,
                lambda: driver.session.dispatch(SessionAction.SIGN_OUT),
                lambda: SessionStore.mount(driver.sdk),
                lambda: driver.vault.put_many({"k": b"v"}),
                lambda: next(states),
            ):
                try:
                    use()
                except CoreError as error:
                    codes.append(error.code)
            remove()
            gc.collect()
            code = 0 if set(codes) == {"FORKED"} and len(codes) == 7 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    remove()


def test_a_child_of_fork_is_free_of_the_parents_pump(tmp_path: Path) -> None:
    with FolioSdk.create(data_directory=tmp_path, background=True) as sdk:
        store = SessionStore.mount(sdk)
        states = store.states()
        for _ in range(20):
            # The background thread is in the middle of its work at most of these forks.
            store.dispatch(SessionAction.SIGN_OUT)
            child = os.fork()
            if child == 0:
                codes = []
                try:
                    for use in (sdk.wait_events, sdk.dispatch_events, lambda: next(states), store.close):
                        try:
                            use()
                        except CoreError as error:
                            codes.append(error.code)
                    sdk.__exit__(None, None, None)
                    del states, store
                    gc.collect()
                finally:
                    os._exit(0 if codes == ["FORKED"] * 4 else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        sdk._wait_until(lambda: sdk.pending == 0)
        assert sdk.session_state.status == "ACTIVE"


CREATE = """
    import sys
    from folio import *
    sdk = FolioSdk.create(data_directory=sys.argv[1])
"""


@pytest.mark.parametrize(
    "script",
    [
        CREATE,
        CREATE
        + """
    store = SessionStore.mount(sdk)
    store.subscribe(print)
    store.dispatch(SessionAction.SIGN_OUT)
""",
        """
    import sys
    from folio import *
    sdk = FolioSdk.create(data_directory=sys.argv[1], background=True)
    store = SessionStore.mount(sdk)
    store.subscribe(lambda state: open("/dev/null", "w").write(repr(state)))
    for _ in range(20):
        store.dispatch(SessionAction.SIGN_OUT)
""",
        """
    import sys, threading, time
    from folio import *
    sdk = FolioSdk.create(data_directory=sys.argv[1], background=True)
    store = SessionStore.mount(sdk)
    inside = threading.Event()
    def listen(state):
        inside.set()
        # Longer than the interpreter waits for it.
        time.sleep(60)
    store.subscribe(listen)
    # The first read may have been delivered before the listener was there.
    store.dispatch(SessionAction.SIGN_OUT)
    inside.wait()
""",
        """
    import asyncio, sys
    from folio import *
    async def main():
        global sdk
        sdk = await FolioSdk.create_async(data_directory=sys.argv[1])
        SessionStore.mount(sdk).dispatch(SessionAction.SIGN_OUT)
    asyncio.run(main())
""",
        CREATE
        + """
    import os
    child = os.fork()
    if child == 0:
        sys.exit(0)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    ],
    ids=["create-only", "left-open", "background", "busy-listener", "asyncio", "child-of-fork"],
)
def test_nothing_keeps_the_interpreter_from_exiting(tmp_path: Path, script: str) -> None:
    for _ in range(3):
        outcome = run_script(script, tmp_path)
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stderr == ""


def test_ctrl_c_ends_a_wait(tmp_path: Path) -> None:
    outcome = run_script(
        CREATE
        + """
    import os, signal
    # Ctrl-C, sent while the main thread waits or is about to: a handler of Python runs in either case.
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        sdk.wait_events()
    except KeyboardInterrupt:
        print("interrupted")
""",
        tmp_path,
    )
    assert outcome.stdout == "interrupted\n", outcome.stderr


def test_no_ctrl_c_is_lost_while_callbacks_run(tmp_path: Path) -> None:
    outcome = run_script(
        CREATE
        + """
    import signal
    store = SessionStore.mount(sdk)
    store.subscribe(lambda state: None)
    fired = raised = 0
    def interrupt(*_):
        global fired
        fired += 1
        raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, interrupt)
    for round in range(300):
        store.dispatch(SessionAction.SIGN_OUT)
        try:
            # At another moment of the sign-out in every round.
            signal.setitimer(signal.ITIMER_REAL, 0.0003 + round % 80 * 0.0002)
            while True:
                sdk.wait_events()
        except KeyboardInterrupt:
            raised += 1
        while sdk.pending:
            sdk.wait_events()
    print(fired, raised)
""",
        tmp_path,
    )
    assert outcome.stdout == "300 300\n", outcome.stderr


def test_ctrl_c_at_the_entry_of_a_callback_is_raised_after_the_dispatch(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    driver.session.subscribe(lambda state: None)

    def profile(frame: Any, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is _callbacks._run.__code__:
            sys.setprofile(None)
            raise KeyboardInterrupt

    driver.session.dispatch(SessionAction.SIGN_OUT)
    sys.setprofile(profile)
    try:
        with pytest.raises(KeyboardInterrupt):
            driver.settle()
    finally:
        sys.setprofile(None)
    assert reported == [] and sys.unraisablehook == reported.append
    driver.settle()
    assert driver.session.state.status == "ACTIVE"
