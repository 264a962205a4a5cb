import Folio
import FolioModel
import FolioTestSupport
import Glibc
import Synchronization

// Runs one procedure and kills itself with SIGKILL after so many effects, as a power cut would.
// Arguments: directory, procedure, number of effects, name of the effects that count (all without one).
// Prints "finished" when the procedure ends before that.

let arguments = CommandLine.arguments
guard arguments.count >= 4, let faultPoint = Int(arguments[3]) else {
    print("usage: CrashSubject directory procedure fault-point [effect]")
    exit(2)
}
let procedure = arguments[2]
let counted = arguments.count > 4 ? arguments[4] : nil
let isArmed = Atomic<Bool>(procedure == "create")
let count = Atomic<Int>(0)

let hasReplacedGuest = Atomic<Bool>(false)

let surroundings = RuntimeSurroundings(observer: { effect in
    if effect == "write.replaceGuest" { hasReplacedGuest.store(true, ordering: .releasing) }
    guard isArmed.load(ordering: .acquiring), counted == nil || counted == effect else { return }
    if count.add(1, ordering: .relaxed).newValue == faultPoint { kill(getpid(), SIGKILL) }
})

let driver = try Driver(arguments[1], surroundings: surroundings)
switch procedure {
case "create": break
case "sign-in":
    try driver.auth.dispatch(.signIn(email: "ana@example.com"))
    try driver.settle()
    guard let message = try driver.service.nextMessage() else { exit(3) }
    isArmed.store(true, ordering: .releasing)
    try driver.auth.dispatch(.submitCode(message.code))
    try driver.settle()
    try driver.pump { if case .running = driver.vault.state.carryOver { false } else { true } }
case "sign-out":
    isArmed.store(true, ordering: .releasing)
    try driver.session.dispatch(.signOut)
    try driver.settle()
case "end-session":
    let before = driver.session.state
    try driver.service.endSessions(userId: before.identity.userId ?? "")
    isArmed.store(true, ordering: .releasing)
    try driver.sdk.renew()
    try driver.pump { driver.session.state.identity != before.identity && driver.session.state.status == .active }
case "end-guest-session":
    try driver.service.endSessions(userId: driver.session.state.identity.userId ?? "")
    isArmed.store(true, ordering: .releasing)
    try driver.sdk.renew()
    try driver.pump { hasReplacedGuest.load(ordering: .acquiring) }
case "wait-for-carry-over":
    isArmed.store(true, ordering: .releasing)
    try driver.pump { if case .running = driver.vault.state.carryOver { false } else { true } }
default: exit(2)
}
try driver.sdk.shutdown()
print("finished")
