package appsvc;

import static java.nio.charset.StandardCharsets.UTF_8;
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
/**
 * The device side of appsvc without an SDK: install, push token, user, reports. Java 8 and its own library; on Android from 8.0 (API 26). Calls
 * return at once. Events are files until the server has them; it stores each once, however often it comes.
 */
public final class Appsvc {
    public static final int FCM = 2, HUAWEI = 5;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    public final String install;
    private final String url, authorization;
    private final Path events, userFile;

    /** `directory` is the app's own, and must not be in backups of the phone: two phones would be one install. */
    public Appsvc(String baseUrl, String apiKey, String secretKey, File directory) throws IOException {
        events = Files.createDirectories(directory.toPath().resolve("events"));
        userFile = directory.toPath().resolve("user");
        Path installFile = directory.toPath().resolve("install");
        if (!Files.exists(installFile)) write(installFile, UUID.randomUUID().toString());
        install = read(installFile);
        url = baseUrl.replaceAll("/+$", "") + "/events/v1/app-installs/" + install + "/events";
        authorization = "Basic " + Base64.getEncoder().encodeToString((apiKey + ":" + secretKey).getBytes(UTF_8));
    }

    /** At every start. `os`: 3 is Android. `zone`: `TimeZone.getDefault().getID()`. */
    public Future<Boolean> started(String bundle, String version, int os, String osVersion, String model, String locale, String zone) {
        return track("k.stats.installTracked", "{\"app\":{\"bundle\":" + json(bundle) + ",\"version\":" + json(version)
            + "},\"os\":{\"id\":" + os + ",\"version\":" + json(osVersion) + "},\"device\":{\"name\":" + json(model)
            + ",\"locale\":" + json(locale) + ",\"tz\":" + json(zone) + "}}");
    }

    /** At every start, and when it changes. `mayShow`: the person lets the app show notifications. */
    public Future<Boolean> token(int type, String token, boolean mayShow) {
        String data = "{\"type\":" + type + ",\"token\":" + json(token) + ",\"areNotificationsEnabled\":" + mayShow + "}";
        return track("k.push.deviceRegistered", data);
    }

    /** Somebody signed in: their identifier, or the token that your server signed for them. Null: they signed out. */
    public Future<Boolean> user(String id) {
        return thread.submit(() -> {
            if (id == null) Files.deleteIfExists(userFile); else write(userFile, id);
            store("k.stats.userAssociat" + (id == null ? "ionCleared" : "ed"), id == null ? "{}" : "{\"id\":" + json(id) + "}");
            return send();
        });
    }

    /** The fate of a push: "delivered", "opened" or "dismissed"; its number is in its `k.message`. */
    public Future<Boolean> push(String fate, long notification) {
        return track("k.message." + fate, "{\"type\":1,\"id\":" + notification + "}");
    }

    /** An event of the app, with a JSON object. The result tells whether the server has everything by now. */
    public Future<Boolean> track(String type, String data) {
        return thread.submit(() -> { store(type, data); return send(); });
    }

    /** Sends what waits: when the phone is online again. */
    public Future<Boolean> flush() { return thread.submit(this::send); }

    private void store(String type, String data) throws IOException {
        long now = System.currentTimeMillis();
        String uuid = UUID.randomUUID().toString(), user = Files.exists(userFile) ? read(userFile) : install;
        write(events.resolve(String.format(Locale.ROOT, "%d-%019d-%s", now, System.nanoTime(), uuid)), "{\"type\":" + json(type)
            + ",\"uuid\":\"" + uuid + "\",\"timestamp\":" + now + ",\"userId\":" + json(user) + ",\"data\":" + data + "}");
    }

    private boolean send() throws IOException {
        for (;;) {
            List<Path> batch;
            try (Stream<Path> all = Files.list(events).filter(file -> !file.toString().endsWith(".new"))) {
                batch = all.sorted().limit(50).collect(Collectors.toList());
            }
            if (batch.isEmpty()) return true;
            StringJoiner body = new StringJoiner(",", "[", "]");
            for (Path file : batch) body.add(read(file));
            int status = post(body.toString().getBytes(UTF_8));
            // What the server refuses for good must not stand before everything else. Wrong keys, a busy server, a proxy, none: later.
            if (status / 100 != 2 && !Arrays.asList(400, 413, 422).contains(status)) return false;
            for (Path file : batch) Files.delete(file);
        }
    }

    private int post(byte[] body) {
        try {
            HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
            connection.setConnectTimeout(10_000);
            connection.setReadTimeout(30_000);
            connection.setInstanceFollowRedirects(false);
            connection.setRequestProperty("Authorization", authorization);
            connection.setDoOutput(true);
            try (OutputStream to = connection.getOutputStream()) { to.write(body); }
            return connection.getResponseCode();
        } catch (IOException offline) {
            return 0;
        }
    }

    /** A text as JSON. */
    public static String json(String text) {
        if (text == null) return "null";
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) out.append(c == '"' || c == '\\' || c < ' ' ? String.format("\\u%04x", (int) c) : c + "");
        return out.append('"').toString();
    }

    private static String read(Path file) throws IOException { return new String(Files.readAllBytes(file), UTF_8); }

    /** Writes a file whole or not at all, also when the phone goes off in the middle. */
    private static void write(Path file, String text) throws IOException {
        Path draft = Files.write(file.resolveSibling(file.getFileName() + ".new"), text.getBytes(UTF_8));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
