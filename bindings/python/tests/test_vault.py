from __future__ import annotations

import pytest
from conftest import Driver

from folio import CarryOverType, CoreError, SessionAction, VaultError


def test_the_vault_is_used_like_a_mapping(driver: Driver) -> None:
    vault = driver.vault
    vault["b"] = b"two"
    vault["a"] = bytearray(b"one")
    vault["c"] = memoryview(b"three")
    assert vault["a"] == b"one" and vault["c"] == b"three"
    assert list(vault) == ["a", "b", "c"]
    assert len(vault) == 3 and "b" in vault and "bb" not in vault and 7 not in vault
    assert vault.get("x") is None and vault.get("x", b"d") == b"d"
    del vault["b"]
    with pytest.raises(KeyError):
        vault["b"]
    with pytest.raises(KeyError):
        del vault["b"]
    assert bool(vault)
    assert dict(vault.items()) == {"a": b"one", "c": b"three"}
    record = vault.record("a")
    assert record is not None and record.value == b"one" and record.modified_at.tzinfo is not None


def test_listing_goes_by_prefix_and_page(driver: Driver) -> None:
    vault = driver.vault
    vault.put_many({f"n{number:05}": b"x" * (number % 3) for number in range(2_500)})
    vault.put_many({})
    vault["m"] = b""
    assert vault.count("n") == 2_500 and vault.count() == 2_501
    assert list(vault.keys("n")) == [f"n{number:05}" for number in range(2_500)]
    assert [entry.length for entry in vault.entries("n0000")] == [number % 3 for number in range(10)]


@pytest.mark.parametrize("size", [0, 1, 1 << 20, 16 << 20])
def test_values_of_every_size_come_back(driver: Driver, size: int) -> None:
    value = bytes(range(256)) * (size // 256) + bytes(size % 256)
    driver.vault["k"] = value
    assert driver.vault["k"] == value


def test_values_above_the_limit_and_bad_keys_are_refused(driver: Driver) -> None:
    for key, value in (("k", bytes((16 << 20) + 1)), ("", b""), ("k" * 1025, b""), ("a\0", b""), ("\ud800", b"")):
        with pytest.raises(CoreError) as caught:
            driver.vault[key] = value
        assert caught.value.code == "INVALID_ARGUMENT"
    with pytest.raises(CoreError):
        driver.vault["k"] = "text"  # type: ignore[assignment]
    assert len(driver.vault) == 0


def test_a_transaction_is_applied_whole_or_not_at_all(driver: Driver) -> None:
    vault = driver.vault
    vault["kept"] = b"1"
    with vault.transaction() as transaction:
        transaction["new"] = b"2"
        del transaction["kept"]
        assert transaction["new"] == b"2" and "kept" not in transaction
        with pytest.raises(KeyError):
            transaction["kept"]
        assert "new" not in vault
    assert list(vault) == ["new"]
    with pytest.raises(RuntimeError):
        with vault.transaction() as transaction:
            transaction["new"] = b"3"
            raise RuntimeError
    assert vault["new"] == b"2"


def test_keys_that_look_alike_are_different_keys(driver: Driver) -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    with driver.vault.transaction() as transaction:
        transaction[composed] = b"1"
        transaction[decomposed] = b"2"
    assert driver.vault[composed] == b"1" and driver.vault[decomposed] == b"2"
    assert composed in driver.vault and len(driver.vault) == 2


def test_a_guest_takes_its_records_to_the_account(driver: Driver) -> None:
    driver.vault.put_many({f"n{number}": b"g" for number in range(1_000)})
    driver.sign_in()
    driver.until(lambda: driver.vault.state.carry_over.type == CarryOverType.FINISHED)
    assert len(driver.vault) == 1_000
    assert driver.vault.state.record_count == 1_000


def test_conflict_copies_are_kept_or_dropped(driver: Driver) -> None:
    driver.sign_in()
    driver.vault.put_many({"x": b"account", "y": b"account"})
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    driver.vault.put_many({"x": b"guest", "y": b"guest"})
    driver.sign_in()
    driver.until(lambda: driver.vault.state.carry_over.type == CarryOverType.FINISHED)
    first, second = driver.vault.conflicts()
    assert (first.key, second.key) == ("x", "y")
    assert driver.vault["x"] == b"guest" and driver.vault.conflict_value(first) == b"account"
    driver.vault.keep_conflict(first)
    driver.vault.drop_conflict(second)
    assert driver.vault["x"] == b"account" and driver.vault["y"] == b"guest"
    with pytest.raises(VaultError) as caught:
        driver.vault.drop_conflict(second)
    assert caught.value.code == "NOT_FOUND"
    assert list(driver.vault.conflicts()) == []


def test_the_vault_fails_typed_once_a_sign_out_has_begun(driver: Driver) -> None:
    driver.service.set_reachable(False)
    driver.session.dispatch(SessionAction.SIGN_OUT)
    driver.settle()
    with pytest.raises(VaultError) as caught:
        driver.vault["k"] = b""
    assert caught.value.code == "VAULT_NOT_RUNNING"
    assert not driver.vault.state.running
