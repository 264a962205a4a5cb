// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Folio",
    products: [
        .library(name: "Folio", targets: ["Folio"]),
        .library(name: "folio", type: .dynamic, targets: ["FolioC"]),
    ],
    dependencies: [],
    targets: [
        .systemLibrary(name: "CFolio", path: "include"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CUtf8proc", providers: [.apt(["libutf8proc-dev"])]),

        .target(name: "FolioModel", swiftSettings: settings),
        .target(name: "FolioMachine", dependencies: ["FolioModel"], swiftSettings: settings),
        .target(name: "FolioWire", dependencies: ["FolioModel"], swiftSettings: settings),
        .target(name: "FolioDevice", dependencies: ["FolioModel", "CSQLite", "CSodium"], swiftSettings: settings),
        .target(
            name: "FolioService",
            dependencies: ["FolioModel", "FolioWire", "CSQLite", "CSodium", "CUtf8proc"],
            swiftSettings: settings
        ),
        .target(
            name: "Folio",
            dependencies: ["FolioModel", "FolioMachine", "FolioWire", "FolioDevice", "FolioService"],
            swiftSettings: settings
        ),
        .target(name: "FolioC", dependencies: ["Folio", "CFolio"], swiftSettings: settings),

        .testTarget(name: "FolioModelTests", dependencies: ["FolioModel"], swiftSettings: settings),
        .testTarget(name: "FolioMachineTests", dependencies: ["FolioMachine"], swiftSettings: settings),
        .testTarget(name: "FolioWireTests", dependencies: ["FolioWire"], swiftSettings: settings),
        .testTarget(name: "FolioDeviceTests", dependencies: ["FolioDevice"], swiftSettings: settings),
        .testTarget(name: "FolioServiceTests", dependencies: ["FolioService"], swiftSettings: settings),
        .testTarget(name: "FolioCTests", dependencies: ["FolioC", "Folio", "FolioModel", "CFolio"], swiftSettings: settings),
        .target(name: "FolioTestSupport", dependencies: ["Folio"], path: "Tests/Support", swiftSettings: settings),
        .executableTarget(
            name: "CrashSubject", dependencies: ["Folio", "FolioTestSupport"], path: "Tests/CrashSubject",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FolioTests", dependencies: ["Folio", "FolioTestSupport", "CrashSubject", "CSQLite"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
