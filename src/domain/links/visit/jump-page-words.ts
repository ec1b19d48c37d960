/** The texts of the page in one language. `{app}` is the name of the app. */
export interface Words {
  lang: string
  dir: 'ltr' | 'rtl'
  /** Heading of a link without a title. */
  openIn: string
  appStore: string
  playStore: string
  /** The line below the button that also copies, so that people know what is put on their clipboard. */
  copies: string
  copy: string
  copied: string
  notCopied: string
  web: string
  /** The line below the QR code that computers see. */
  scan: string
  notFound: string
  notFoundWhy: string
}

const ENGLISH: Words = {
  lang: 'en',
  dir: 'ltr',
  openIn: 'Open in {app}',
  appStore: 'Open in the App Store',
  playStore: 'Open in Google Play',
  copies: 'This also copies the link, so that the app can open it after the installation.',
  copy: 'Copy link',
  copied: 'Link copied',
  notCopied: 'Your browser did not allow copying. Hold the link to copy it:',
  web: 'Continue on the website',
  scan: 'Scan this code with your phone to open the link in {app}.',
  notFound: 'This link leads nowhere',
  notFoundWhy: 'It may have been mistyped, or it was taken away.',
}

const LANGUAGES: readonly Words[] = [
  ENGLISH,
  {
    lang: 'de',
    dir: 'ltr',
    openIn: 'In {app} öffnen',
    appStore: 'Im App Store öffnen',
    playStore: 'Bei Google Play öffnen',
    copies: 'Dabei wird auch der Link kopiert, damit die App ihn nach der Installation öffnen kann.',
    copy: 'Link kopieren',
    copied: 'Link kopiert',
    notCopied: 'Der Browser hat das Kopieren nicht erlaubt. Zum Kopieren den Link gedrückt halten:',
    web: 'Weiter zur Website',
    scan: 'Diesen Code mit dem Telefon scannen, um den Link in {app} zu öffnen.',
    notFound: 'Dieser Link führt nirgendwohin',
    notFoundWhy: 'Vielleicht ist er falsch geschrieben oder es gibt ihn nicht mehr.',
  },
  {
    lang: 'fr',
    dir: 'ltr',
    openIn: 'Ouvrir dans {app}',
    appStore: 'Ouvrir dans l’App Store',
    playStore: 'Ouvrir dans Google Play',
    copies: 'Le lien est aussi copié, pour que l’app puisse l’ouvrir après l’installation.',
    copy: 'Copier le lien',
    copied: 'Lien copié',
    notCopied: 'Le navigateur n’a pas permis la copie. Maintenez le doigt sur le lien pour le copier :',
    web: 'Continuer sur le site web',
    scan: 'Scannez ce code avec votre téléphone pour ouvrir le lien dans {app}.',
    notFound: 'Ce lien ne mène nulle part',
    notFoundWhy: 'Il est peut-être mal écrit ou n’existe plus.',
  },
  {
    lang: 'es',
    dir: 'ltr',
    openIn: 'Abrir en {app}',
    appStore: 'Abrir en el App Store',
    playStore: 'Abrir en Google Play',
    copies: 'También se copia el enlace, para que la app pueda abrirlo tras la instalación.',
    copy: 'Copiar enlace',
    copied: 'Enlace copiado',
    notCopied: 'El navegador no permitió copiar. Mantén pulsado el enlace para copiarlo:',
    web: 'Continuar en el sitio web',
    scan: 'Escanea este código con el teléfono para abrir el enlace en {app}.',
    notFound: 'Este enlace no lleva a ninguna parte',
    notFoundWhy: 'Puede que esté mal escrito o que ya no exista.',
  },
  {
    lang: 'it',
    dir: 'ltr',
    openIn: 'Apri in {app}',
    appStore: 'Apri in App Store',
    playStore: 'Apri in Google Play',
    copies: 'Viene copiato anche il link, così l’app può aprirlo dopo l’installazione.',
    copy: 'Copia link',
    copied: 'Link copiato',
    notCopied: 'Il browser non ha permesso la copia. Tieni premuto il link per copiarlo:',
    web: 'Continua sul sito web',
    scan: 'Inquadra questo codice con il telefono per aprire il link in {app}.',
    notFound: 'Questo link non porta da nessuna parte',
    notFoundWhy: 'Forse è scritto male o non esiste più.',
  },
  {
    lang: 'pt',
    dir: 'ltr',
    openIn: 'Abrir em {app}',
    appStore: 'Abrir na App Store',
    playStore: 'Abrir no Google Play',
    copies: 'O link também é copiado, para que o app possa abri-lo depois da instalação.',
    copy: 'Copiar link',
    copied: 'Link copiado',
    notCopied: 'O navegador não permitiu copiar. Mantenha o link pressionado para copiá-lo:',
    web: 'Continuar no site',
    scan: 'Leia este código com o celular para abrir o link em {app}.',
    notFound: 'Este link não leva a lugar nenhum',
    notFoundWhy: 'Talvez esteja escrito errado ou já não exista.',
  },
  {
    lang: 'nl',
    dir: 'ltr',
    openIn: 'Openen in {app}',
    appStore: 'Openen in de App Store',
    playStore: 'Openen in Google Play',
    copies: 'De link wordt ook gekopieerd, zodat de app hem na de installatie kan openen.',
    copy: 'Link kopiëren',
    copied: 'Link gekopieerd',
    notCopied: 'De browser stond kopiëren niet toe. Houd de link ingedrukt om hem te kopiëren:',
    web: 'Doorgaan op de website',
    scan: 'Scan deze code met je telefoon om de link in {app} te openen.',
    notFound: 'Deze link leidt nergens heen',
    notFoundWhy: 'Misschien is hij verkeerd getypt of bestaat hij niet meer.',
  },
  {
    lang: 'ar',
    dir: 'rtl',
    openIn: 'فتح في {app}',
    appStore: 'فتح في App Store',
    playStore: 'فتح في Google Play',
    copies: 'يُنسخ الرابط أيضًا ليتمكن التطبيق من فتحه بعد التثبيت.',
    copy: 'نسخ الرابط',
    copied: 'تم نسخ الرابط',
    notCopied: 'لم يسمح المتصفح بالنسخ. اضغط مطولًا على الرابط لنسخه:',
    web: 'المتابعة على الموقع',
    scan: 'امسح هذا الرمز بهاتفك لفتح الرابط في {app}.',
    notFound: 'هذا الرابط لا يؤدي إلى أي مكان',
    notFoundWhy: 'ربما كُتب بشكل خاطئ أو لم يعد موجودًا.',
  },
  {
    lang: 'he',
    dir: 'rtl',
    openIn: 'פתיחה ב-{app}',
    appStore: 'פתיחה ב-App Store',
    playStore: 'פתיחה ב-Google Play',
    copies: 'הקישור גם יועתק, כדי שהאפליקציה תוכל לפתוח אותו אחרי ההתקנה.',
    copy: 'העתקת הקישור',
    copied: 'הקישור הועתק',
    notCopied: 'הדפדפן לא אפשר להעתיק. יש ללחוץ לחיצה ארוכה על הקישור כדי להעתיק אותו:',
    web: 'המשך באתר',
    scan: 'סרקו את הקוד הזה בטלפון כדי לפתוח את הקישור ב-{app}.',
    notFound: 'הקישור הזה לא מוביל לשום מקום',
    notFoundWhy: 'ייתכן שהוא נכתב בטעות או שאינו קיים עוד.',
  },
  {
    lang: 'ja',
    dir: 'ltr',
    openIn: '{app}で開く',
    appStore: 'App Storeで開く',
    playStore: 'Google Playで開く',
    copies: 'インストール後にアプリで開けるように、リンクもコピーされます。',
    copy: 'リンクをコピー',
    copied: 'リンクをコピーしました',
    notCopied: 'コピーできませんでした。リンクを長押ししてコピーしてください：',
    web: 'ウェブサイトで続ける',
    scan: 'スマートフォンでこのコードを読み取ると、{app}でリンクが開きます。',
    notFound: 'このリンクの先には何もありません',
    notFoundWhy: '入力の間違いか、すでに削除された可能性があります。',
  },
  {
    lang: 'zh',
    dir: 'ltr',
    openIn: '在 {app} 中打开',
    appStore: '在 App Store 中打开',
    playStore: '在 Google Play 中打开',
    copies: '同时会复制链接，以便安装后应用可以打开它。',
    copy: '复制链接',
    copied: '链接已复制',
    notCopied: '浏览器不允许复制。请长按链接进行复制：',
    web: '继续访问网站',
    scan: '用手机扫描此二维码，在 {app} 中打开链接。',
    notFound: '此链接没有指向任何内容',
    notFoundWhy: '可能输入有误，或链接已被移除。',
  },
]

const BY_LANGUAGE = new Map(LANGUAGES.map((words) => [words.lang, words]))

/**
 * The first supported language of an `Accept-Language` header; English otherwise. Phones list languages in order of
 * preference.
 */
export function wordsFor(acceptLanguage: string | undefined): Words {
  for (const range of (acceptLanguage ?? '').slice(0, 200).split(',')) {
    const words = BY_LANGUAGE.get(range.trim().slice(0, 2).toLowerCase())
    if (words && /^\s*[a-z]{2}(?:[-;]|\s*$)/i.test(range)) return words
  }
  return ENGLISH
}
