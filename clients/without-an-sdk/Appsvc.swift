// Not compiled here: read against Apple's documents that docs/clients/without-an-sdk.md names. Swift 5.7, iOS 13, no dependency.
import Foundation
import UIKit
import UserNotifications

/// The device side of appsvc without an SDK: install, push token, user, reports. Events are kept in the defaults until the server has them; it
/// stores each once, however often it comes. Calls return at once.
final class Appsvc {
    private let url: URL
    private let authorization: String
    private let queue = DispatchQueue(label: "appsvc")
    private let store: UserDefaults
    private var isSending = false
    let install: String

    init(url: String, apiKey: String, secretKey: String, store: UserDefaults = UserDefaults(suiteName: "appsvc")!) {
        self.store = store
        install = store.string(forKey: "install") ?? UUID().uuidString
        store.set(install, forKey: "install")
        self.url = URL(string: url)!.appendingPathComponent("events/v1/app-installs/\(install)/events")
        authorization = "Basic " + Data("\(apiKey):\(secretKey)".utf8).base64EncodedString()
    }

    /// At every start.
    func started() {
        let info = Bundle.main.infoDictionary
        track("k.stats.installTracked", [
            "app": ["bundle": Bundle.main.bundleIdentifier ?? "", "version": info?["CFBundleShortVersionString"] as? String ?? ""],
            "os": ["id": 1, "version": UIDevice.current.systemVersion],
            "device": ["name": UIDevice.current.model, "locale": Locale.preferredLanguages.first ?? "", "tz": TimeZone.current.identifier],
        ])
    }

    /// From `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`, at every start. Builds from Xcode have tokens of Apple's sandbox.
    func token(_ token: Data) {
        #if DEBUG
        let kind = 2
        #else
        let kind = 1
        #endif
        let text = token.map { String(format: "%02x", $0) }.joined()
        track("k.push.deviceRegistered", ["type": 1, "token": text, "iosTokenType": kind, "bundleId": Bundle.main.bundleIdentifier ?? ""])
    }

    /// Somebody signed in: their identifier, or the token that your server signed for them. Nil: they signed out.
    func user(_ identifier: String?) {
        store.set(identifier, forKey: "user")
        if let identifier { track("k.stats.userAssociated", ["id": identifier]) } else { track("k.stats.userAssociationCleared", [:]) }
    }

    /// The fate of a push: "delivered" or "opened".
    func push(_ fate: String, _ userInfo: [AnyHashable: Any]) {
        guard let id = Appsvc.notification(in: userInfo) else { return }
        track("k.message.\(fate)", ["type": 1, "id": id])
    }

    /// An event of the app; `data` must be valid JSON.
    func track(_ type: String, _ data: [String: Any]) {
        let user = store.string(forKey: "user") ?? install
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let event: [String: Any] = ["type": type, "uuid": UUID().uuidString.lowercased(), "timestamp": now, "userId": user, "data": data]
        guard JSONSerialization.isValidJSONObject(event), let bytes = try? JSONSerialization.data(withJSONObject: event) else { return }
        queue.async {
            self.store.set(self.waiting + [bytes], forKey: "events")
            self.send()
        }
    }

    /// Sends what waits: when the app comes to the front.
    func flush() { queue.async { self.send() } }

    private var waiting: [Data] { store.array(forKey: "events") as? [Data] ?? [] }

    private func send() {
        let batch = Array(waiting.prefix(50))
        guard !isSending, !batch.isEmpty else { return }
        isSending = true
        var request = URLRequest(url: url, timeoutInterval: 30)
        request.httpMethod = "POST"
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        request.httpBody = Data("[".utf8) + Data(batch.joined(separator: Data(",".utf8))) + Data("]".utf8)
        URLSession.shared.dataTask(with: request) { _, response, _ in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            self.queue.async {
                self.isSending = false
                // What the server refuses for good must not stand before everything else. Wrong keys, a busy server, a proxy, none: later.
                guard (200..<300).contains(status) || [400, 413, 422].contains(status) else { return }
                self.store.set(Array(self.waiting.dropFirst(batch.count)), forKey: "events")
                self.send()
            }
        }.resume()
    }

    /// The number of a push of appsvc; nil for another. docs/reference/device-protocol.md section 10.
    static func notification(in userInfo: [AnyHashable: Any]) -> Int? {
        let custom = userInfo["custom"] as? [String: Any]
        let message = (custom?["a"] as? [String: Any])?["k.message"] as? [String: Any]
        return (message?["data"] as? [String: Any])?["id"] as? Int
    }

    /// The address that a push opens.
    static func address(in userInfo: [AnyHashable: Any]) -> URL? {
        ((userInfo["custom"] as? [String: Any])?["u"] as? String).flatMap(URL.init(string:))
    }
}
