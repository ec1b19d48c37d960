// Not compiled here: read against the documents that docs/clients/without-an-sdk.md names. Needs Appsvc.java beside it, firebase-messaging, and
// in the manifest this service (intent filter com.google.firebase.MESSAGING_EVENT) and the receiver PushDismissed.
package com.example.bakery

import android.Manifest
import android.app.Application
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.content.pm.PackageManager
import android.os.Build
import androidx.core.app.NotificationCompat
import androidx.core.app.NotificationManagerCompat
import appsvc.Appsvc
import com.google.firebase.messaging.FirebaseMessaging
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage
import java.io.File
import java.util.Locale
import java.util.TimeZone
import java.util.concurrent.TimeUnit
import org.json.JSONObject

private const val CHANNEL = "general"
private const val NOTIFICATION = "appsvc.notification"

/** Signs in and out with `appsvc.user(identifier)` and `appsvc.user(null)`. */
class BakeryApp : Application() {
    lateinit var appsvc: Appsvc

    override fun onCreate() {
        super.onCreate()
        // Not in backups of the phone, or two phones would be one install.
        appsvc = Appsvc("https://app.example.com", "API_KEY", "SECRET_KEY", File(noBackupFilesDir, "appsvc").apply { mkdirs() })
        val version = packageManager.getPackageInfo(packageName, 0).versionName
        appsvc.started(packageName, version, 3, Build.VERSION.RELEASE, Build.MODEL, Locale.getDefault().toLanguageTag(), TimeZone.getDefault().id)
        val manager = getSystemService(NotificationManager::class.java)
        manager.createNotificationChannel(NotificationChannel(CHANNEL, "News", NotificationManager.IMPORTANCE_DEFAULT))
        FirebaseMessaging.getInstance().token.addOnSuccessListener { register(it) }
    }

    /** Call it again when the person has answered the question for `POST_NOTIFICATIONS` (Android 13). */
    fun register(token: String) = appsvc.token(Appsvc.FCM, token, NotificationManagerCompat.from(this).areNotificationsEnabled())
}

/** A push as appsvc sends it through FCM: docs/reference/device-protocol.md section 10. */
class Push(val id: Long, val title: String, val text: String, val url: String?)

fun readPush(data: Map<String, String>): Push? {
    val custom = data["custom"]?.let { runCatching { JSONObject(it) }.getOrNull() } ?: return null
    val id = custom.optJSONObject("a")?.optJSONObject("k.message")?.optJSONObject("data")?.optLong("id", 0) ?: 0
    return if (id > 0) Push(id, data["title"].orEmpty(), data["alert"].orEmpty(), custom.optString("u").ifEmpty { null }) else null
}

class PushService : FirebaseMessagingService() {
    private val app get() = application as BakeryApp

    override fun onNewToken(token: String) {
        app.register(token)
    }

    override fun onMessageReceived(message: RemoteMessage) {
        val push = readPush(message.data) ?: return
        if (push.title.isNotEmpty() && push.text.isNotEmpty()) show(push)
        // The system may end the process when this returns. What is not sent by then goes with the next event.
        runCatching { app.appsvc.push("delivered", push.id).get(8, TimeUnit.SECONDS) }
    }

    private fun show(push: Push) {
        if (Build.VERSION.SDK_INT >= 33 && checkSelfPermission(Manifest.permission.POST_NOTIFICATIONS) != PackageManager.PERMISSION_GRANTED) return
        val flags = PendingIntent.FLAG_IMMUTABLE or PendingIntent.FLAG_UPDATE_CURRENT
        val open = Intent(this, MainActivity::class.java).putExtra(NOTIFICATION, push.id).putExtra("url", push.url)
        val away = Intent(this, PushDismissed::class.java).putExtra(NOTIFICATION, push.id)
        val number = push.id.toInt()
        val notification = NotificationCompat.Builder(this, CHANNEL)
            .setSmallIcon(R.drawable.notification)
            .setContentTitle(push.title)
            .setContentText(push.text)
            .setAutoCancel(true)
            .setContentIntent(PendingIntent.getActivity(this, number, open, flags))
            .setDeleteIntent(PendingIntent.getBroadcast(this, number, away, flags))
        NotificationManagerCompat.from(this).notify(number, notification.build())
    }
}

class PushDismissed : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        (context.applicationContext as BakeryApp).appsvc.push("dismissed", intent.getLongExtra(NOTIFICATION, 0))
    }
}

/** For `onCreate` and `onNewIntent` of MainActivity: reports the opening, and returns the address to show. */
fun openedBy(app: BakeryApp, intent: Intent): String? {
    val id = intent.getLongExtra(NOTIFICATION, 0)
    if (id == 0L) return null
    intent.removeExtra(NOTIFICATION)
    app.appsvc.push("opened", id)
    return intent.getStringExtra("url")
}
