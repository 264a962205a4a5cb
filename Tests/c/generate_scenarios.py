"""Makes the C table of the scenarios: generate_scenarios.py FOLDER HEADER. An unknown step or field is an error."""

import json
import pathlib
import sys

# For each step: its kind, the field that becomes `text`, `value` and `number`, and the other fields it may have.
DO = {
    "create": ("STEP_CREATE", None, None, None, {"error"}),
    "shutdown": ("STEP_SHUTDOWN", None, None, None, set()),
    "mount": ("STEP_MOUNT", "store", None, None, set()),
    "settle": ("STEP_SETTLE", None, None, None, set()),
    "signIn": ("STEP_SIGN_IN", "email", None, None, set()),
    "submitCode": ("STEP_SUBMIT_CODE", "code", "form", None, set()),
    "resendCode": ("STEP_RESEND_CODE", None, None, None, set()),
    "cancel": ("STEP_CANCEL", None, None, None, set()),
    "signOut": ("STEP_SIGN_OUT", None, None, None, set()),
    "dismissNotice": ("STEP_DISMISS_NOTICE", None, None, None, set()),
    "retryCarryOver": ("STEP_RETRY_CARRY_OVER", None, None, None, set()),
    "renew": ("STEP_RENEW", None, None, None, set()),
    "takeMessage": ("STEP_TAKE_MESSAGE", "email", None, None, set()),
    "endSessions": ("STEP_END_SESSIONS", "user", None, None, set()),
    "deleteAccount": ("STEP_DELETE_ACCOUNT", "user", None, None, set()),
    "setReachable": ("STEP_SET_REACHABLE", None, None, "reachable", set()),
    "setGuestAccount": ("STEP_SET_GUEST_ACCOUNT", "email", None, None, set()),
    "put": ("STEP_PUT", "key", "value", None, {"error"}),
    "putMany": ("STEP_PUT_MANY", None, None, None, {"records"}),
    "putNumbered": ("STEP_PUT_NUMBERED", "prefix", None, "count", set()),
    "delete": ("STEP_DELETE", "key", None, "deleted", set()),
    "keepConflict": ("STEP_KEEP_CONFLICT", None, None, None, set()),
    "dropConflict": ("STEP_DROP_CONFLICT", None, None, None, set()),
}
EXPECT = {
    "session": ("EXPECT_STATES", "expect", None, None, {"states"}),
    "auth": ("EXPECT_STATES", "expect", None, None, {"states"}),
    "nothing": ("EXPECT_NOTHING", "store", None, None, set()),
    "get": ("EXPECT_GET", "key", "value", None, set()),
    "count": ("EXPECT_COUNT", "prefix", None, "count", set()),
    "keys": ("EXPECT_KEYS", "prefix", None, None, {"keys"}),
    "conflicts": ("EXPECT_CONFLICTS", None, None, None, {"keys"}),
}
EVENTUALLY = {"vault": ("EXPECT_EVENTUALLY", "eventually", None, None, {"state"})}
STEPS = {"do": DO, "expect": EXPECT, "eventually": EVENTUALLY}
FIELDS = {
    "session": {"identity", "userId", "email", "status", "notice", "deviceId", "signingOut", "error"},
    "auth": {"type", "email", "triesLeft", "error"},
    "vault": {"running", "userId", "recordCount", "bytes", "conflictCount", "carryOver", "moved", "total"},
}


def c_string(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        value = "true" if value else "false"
    safe = lambda byte: 32 <= byte < 127 and chr(byte) not in '"\\?'
    return '"' + "".join(chr(b) if safe(b) else f"\\{b:03o}" for b in str(value).encode()) + '"'


class Table:
    def __init__(self):
        self.lines = []
        self.count = 0

    def array(self, c_type, rows):
        if not rows:
            return "NULL", 0
        self.count += 1
        name = f"table_{self.count}"
        self.lines.append(f"static const {c_type} {name}[] = {{")
        self.lines += [f"    {row}," for row in rows]
        self.lines.append("};")
        return name, len(rows)

    def fields(self, pairs):
        return self.array("struct scenario_field", [f"{{{c_string(k)}, {c_string(v)}}}" for k, v in pairs])

    def states(self, states, store):
        for state in states:
            if unknown := set(state) - FIELDS[store]:
                raise ValueError(f"unknown field of {store}: {unknown}")
        return self.array("struct scenario_state", ["{%s, %d}" % self.fields(s.items()) for s in states])

    def step(self, step):
        verb = next(iter(step))
        kind, text, value, number, others = STEPS[verb][step[verb]]
        if unknown := set(step) - {verb, text, value, number} - others:
            raise ValueError(f"unknown field: {unknown}")
        states = step.get("states", [step["state"]] if "state" in step else [])
        records = step["records"].items() if "records" in step else [(key, None) for key in step.get("keys", [])]
        source = json.dumps(step, ensure_ascii=False)
        return "{%s, %s, %s, %s, %s, %d, %s, %d, %s, %d}" % (
            kind,
            c_string(source if len(source) < 300 else source[:300] + "..."),
            c_string(step.get(text)),
            c_string(step.get(value)),
            c_string(step.get("error")),
            step.get(number, 0),
            *self.states(states, step[verb]),
            *self.fields(records),
        )


def main(folder, header):
    table = Table()
    scenarios = []
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            scenario = json.loads(path.read_text(encoding="utf-8"))
            if scenario["name"] != path.stem or not scenario["rule"]:
                raise ValueError("the name must be the file's, and the rule a sentence")
            steps = table.array("struct scenario_step", [table.step(step) for step in scenario["steps"]])
            scenarios.append("{%s, %s, %d}" % (c_string(scenario["name"]), *steps))
        except (KeyError, ValueError) as error:
            sys.exit(f"{path}: {error!r}")
    table.lines.append("static const struct scenario scenarios[] = {")
    table.lines += [f"    {row}," for row in scenarios]
    table.lines.append("};")
    target = pathlib.Path(header)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(table.lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
