// Not compiled here: read against the documents that docs/clients/without-an-sdk.md names. Dart 3, no dependency; not for Flutter on the web.
import 'dart:convert';
import 'dart:io';
import 'dart:math';
/// The device side of appsvc without an SDK: install, push token, user, reports. Events are kept in a file until the server has them; it stores
/// each once, however often it comes.
class Appsvc {
  Appsvc._(this._url, this._authorization, this._directory, this.install, this._user, this._waiting);

  /// [directory] is the app's own, and must not be in backups of the phone: two phones would be one install.
  static Future<Appsvc> open(String url, String apiKey, String secretKey, Directory directory) async {
    await directory.create(recursive: true);
    Future<String> read(String name) async {
      final file = File('${directory.path}/$name');
      return await file.exists() ? await file.readAsString() : '';
    }

    var install = await read('install');
    if (install.isEmpty) await _write(directory, 'install', install = _uuid());
    final events = LineSplitter.split(await read('events')).toList();
    final base = url.replaceAll(RegExp(r'/+$'), '');
    final address = Uri.parse('$base/events/v1/app-installs/$install/events');
    final keys = base64.encode(utf8.encode('$apiKey:$secretKey'));
    return Appsvc._(address, 'Basic $keys', directory, install, await read('user'), events);
  }
  final Uri _url;
  final String _authorization;
  final Directory _directory;
  final String install;
  String _user;
  final List<String> _waiting;
  Future<bool> _last = Future.value(true);

  /// At every start. [zone] is a name such as `Europe/Berlin`.
  Future<bool> started({required String bundle, required String version, required String model, String? zone}) => track('k.stats.installTracked', {
        'app': {'bundle': bundle, 'version': version},
        'os': {'id': Platform.isIOS ? 1 : 3, 'version': Platform.operatingSystemVersion},
        'device': {'name': model, 'locale': Platform.localeName, 'tz': zone},
      });

  /// The FCM token on Android, at every start and when it changes.
  Future<bool> androidToken(String token) => track('k.push.deviceRegistered', {'type': 2, 'token': token});

  /// The token of Apple on iOS, in hex. Builds from Xcode have tokens of Apple's sandbox.
  Future<bool> appleToken(String token, {required String bundle, bool isDebug = false}) => track('k.push.deviceRegistered',
      {'type': 1, 'token': token.toLowerCase(), 'iosTokenType': isDebug ? 2 : 1, 'bundleId': bundle});

  /// Somebody signed in: their identifier, or the token that your server signed for them. Null: they signed out.
  Future<bool> user(String? identifier) async {
    _user = identifier ?? '';
    await _write(_directory, 'user', _user);
    return identifier == null ? track('k.stats.userAssociationCleared') : track('k.stats.userAssociated', {'id': identifier});
  }

  /// The fate of a push: `delivered`, `opened` or `dismissed`.
  Future<bool> push(String fate, int notification) => track('k.message.$fate', {'type': 1, 'id': notification});

  /// An event of the app. The result tells whether the server has everything by now.
  Future<bool> track(String type, [Map<String, Object?> data = const {}]) {
    final now = DateTime.now().millisecondsSinceEpoch;
    final event = {'type': type, 'uuid': _uuid(), 'timestamp': now, 'userId': _user.isEmpty ? install : _user, 'data': data};
    _waiting.add(jsonEncode(event));
    return flush();
  }

  /// Sends what waits: when the app comes to the front.
  Future<bool> flush() => _last = _last.then((_) => _send(), onError: (_) => _send());

  Future<bool> _send() async {
    await _keep();
    while (_waiting.isNotEmpty) {
      final batch = _waiting.take(50).toList();
      final status = await _post('[${batch.join(',')}]');
      // What the server refuses for good must not stand before everything else. Wrong keys, a busy server, a proxy, none: later.
      if (status ~/ 100 != 2 && !const [400, 413, 422].contains(status)) return false;
      _waiting.removeRange(0, batch.length);
      await _keep();
    }
    return true;
  }

  Future<int> _post(String body) async {
    final client = HttpClient()..connectionTimeout = const Duration(seconds: 10);
    try {
      final request = await client.postUrl(_url);
      request.followRedirects = false;
      request.headers.set(HttpHeaders.authorizationHeader, _authorization);
      request.headers.contentType = ContentType.json;
      request.write(body);
      return (await request.close().timeout(const Duration(seconds: 30))).statusCode;
    } on Exception {
      return 0;
    } finally {
      client.close(force: true);
    }
  }

  Future<void> _keep() => _write(_directory, 'events', _waiting.join('\n'));
  /// Writes a file whole or not at all, also when the phone goes off in the middle.
  static Future<void> _write(Directory directory, String name, String text) async {
    final draft = await File('${directory.path}/$name.new').writeAsString(text, flush: true);
    await draft.rename('${directory.path}/$name');
  }
  static String _uuid() {
    final random = Random.secure();
    final bytes = List.generate(16, (i) => (random.nextInt(256) & (i == 6 ? 0x0f : i == 8 ? 0x3f : 0xff)) | (i == 6 ? 0x40 : i == 8 ? 0x80 : 0));
    final hex = bytes.map((byte) => byte.toRadixString(16).padLeft(2, '0')).join();
    return hex.replaceFirstMapped(RegExp(r'^(.{8})(.{4})(.{4})(.{4})'), (m) => '${m[1]}-${m[2]}-${m[3]}-${m[4]}-');
  }

  /// The number of a push of appsvc in the data of an FCM message; null for another. docs/reference/device-protocol.md section 10.
  static int? notificationIn(Map<String, dynamic> data) {
    try {
      final custom = data['custom'] is String ? jsonDecode(data['custom'] as String) : data['custom'];
      return custom['a']['k.message']['data']['id'] as int;
    } catch (_) {
      return null;
    }
  }
}
