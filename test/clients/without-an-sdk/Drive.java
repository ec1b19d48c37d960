import appsvc.Appsvc;
import java.io.File;
import java.util.Scanner;
import java.util.concurrent.Future;

/** An app without a phone: does what each line on standard input says, and prints the result of it. Parts of a line are between tabs. */
public final class Drive {
    public static void main(String[] given) throws Exception {
        Appsvc app = new Appsvc(given[0], given[1], given[2], new File(given[3]));
        System.out.println(app.install);
        Scanner lines = new Scanner(System.in, "UTF-8");
        while (lines.hasNextLine()) {
            String[] line = lines.nextLine().split("\t", -1);
            System.out.println(act(app, line).get());
        }
        System.exit(0);
    }

    private static Future<Boolean> act(Appsvc app, String[] line) {
        switch (line[0]) {
            case "started": return app.started("com.example.bakery", "2.3.1", 3, "14", line[1], "de-DE", "Europe/Berlin");
            case "token": return app.token(Appsvc.FCM, line[1], Boolean.parseBoolean(line[2]));
            case "user": return app.user(line[1].replace("\\n", "\n"));
            case "nobody": return app.user(null);
            case "push": return app.push(line[1], Long.parseLong(line[2]));
            case "track": return app.track(line[1], line[2]);
            default: return app.flush();
        }
    }
}
