import Testing

@testable import FolioC

@Suite("Handles of the C interface")
struct HandleTableTests {
    private final class Thing: Handled {
        static let kind = HandleKind.message
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private final class OtherThing: Handled {
        static let kind = HandleKind.service
    }

    private func number(_ table: HandleTable, _ handle: OpaquePointer?) -> Int? {
        table.read(handle, Thing.self) { $0.number }
    }

    @Test("A handle stands for its object until it is removed")
    func standsForItsObject() {
        let table = HandleTable()
        let handle = table.insert(Thing(7))
        #expect(number(table, handle) == 7)
        #expect(table.remove(handle, Thing.self)?.number == 7)
        #expect(number(table, handle) == nil)
        #expect(table.remove(handle, Thing.self) == nil)
    }

    @Test("A handle of another type is none")
    func refusesOtherTypes() {
        let table = HandleTable()
        let handle = table.insert(Thing(7))
        #expect(table.object(handle, OtherThing.self) == nil)
        #expect(table.remove(handle, OtherThing.self) == nil)
        #expect(number(table, handle) == 7)
    }

    @Test("A slot is taken again, with another handle")
    func reusesSlots() {
        let table = HandleTable()
        let first = table.insert(Thing(1))
        _ = table.remove(first, Thing.self)
        let second = table.insert(Thing(2))
        #expect(first != second)
        #expect(UInt(bitPattern: first) & 0xFF_FFFF == UInt(bitPattern: second) & 0xFF_FFFF)
        #expect(number(table, first) == nil)
        #expect(number(table, second) == 2)
    }

    @Test("A slot whose generations are used up is never taken again")
    func retiresSlots() {
        let table = HandleTable(firstGeneration: .max)
        let first = table.insert(Thing(1))
        #expect(number(table, first) == 1)
        _ = table.remove(first, Thing.self)
        let second = table.insert(Thing(2))
        #expect(UInt(bitPattern: first) & 0xFF_FFFF != UInt(bitPattern: second) & 0xFF_FFFF)
        #expect(number(table, first) == nil)
        #expect(number(table, second) == 2)
    }

    @Test("Handles stay what they are when the table grows")
    func grows() {
        let table = HandleTable()
        let handles = (0..<5_000).map { table.insert(Thing($0)) }
        #expect(Set(handles).count == handles.count)
        #expect(handles.enumerated().allSatisfy { number(table, $1) == $0 })
    }

    @Test("A lent handle is ended by its lender alone")
    func lends() {
        let table = HandleTable()
        let handle = table.insert(Thing(7), isLent: true)
        #expect(table.remove(handle, Thing.self) == nil)
        #expect(number(table, handle) == 7)
        #expect(table.remove(handle, Thing.self, isLent: true)?.number == 7)
        #expect(number(table, handle) == nil)
    }

    @Test("The object goes with its handle, when nobody else holds it")
    func letsGo() {
        let table = HandleTable()
        weak var thing: Thing?
        let handle: OpaquePointer? = {
            let made = Thing(7)
            thing = made
            return table.insert(made)
        }()
        #expect(thing != nil)
        _ = table.remove(handle, Thing.self)
        #expect(thing == nil)
    }
}
