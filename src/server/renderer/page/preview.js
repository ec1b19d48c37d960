// Plays the app in a preview: a frame holds the page for messages, as a web view in an app does. Presents the embedded
// document there, closes it when asked, and shows which actions a button has.
{
  const byId = (id) => document.getElementById(id)
  const content = JSON.parse(byId('content').textContent)
  const view = byId('view')
  const said = byId('said')
  const phone = byId('phone')
  const tell = (type, data) => view.contentWindow.postMessage({ type, data }, '*')
  const say = (text) => {
    said.textContent = text
  }
  // Points that the notch and the bar at the lower edge of each phone take.
  const insets = { iphone: [54, 34], android: [36, 20], small: [24, 0], tablet: [24, 20] }
  // Room (px) that the page keeps around the phone, and beside it for its controls: less than this share of the phone is too small,
  // and the controls stand below it.
  const AROUND = 48
  const CONTROLS = 356
  const SMALLEST = 0.6
  // Not by `calc()`: a length divided by a length is too new for some browsers, which then show a part of the phone.
  const scale = (wide, high) => {
    const beside = Math.min(1, (innerHeight - 40) / high, (innerWidth - AROUND - CONTROLS) / wide)
    return beside >= SMALLEST ? beside : Math.min(1, (innerHeight - 40) / high, (innerWidth - AROUND) / wide)
  }
  const fit = () => {
    const style = getComputedStyle(phone)
    const valueOf = (name) => Number(style.getPropertyValue(name))
    const isFramed = valueOf('--framed') === 1
    phone.style.setProperty('--fit', isFramed ? scale(valueOf('--wide'), valueOf('--high')) : 1)
    const [insetTop, insetBottom] = isFramed ? insets[byId('device').value] : [0, 0]
    tell('SET_NOTCH_INSETS', { insetTop, insetBottom, insetLeft: 0, insetRight: 0 })
  }
  const present = () => {
    say('')
    document.body.classList.remove('closed')
    fit()
    tell('PRESENT_MESSAGE', content)
  }
  const close = () => {
    tell('CLOSE_MESSAGE')
    document.body.classList.add('closed')
  }
  const endings = ['closeMessage', 'openUrl', 'deepLink', 'requestAppStoreRating', 'promptPushPermission']
  window.addEventListener('message', ({ source, data: message }) => {
    if (source !== view.contentWindow) return
    const { type, data } = message
    if (type === 'READY') present()
    else if (type === 'EXECUTE_ACTIONS') {
      say(data.actions.map((action) => `${action.type} ${JSON.stringify(action.data).replace('{}', '')}`).join('\n'))
      if (data.actions.some((action) => endings.includes(action.type))) close()
    }
  })
  byId('again').addEventListener('click', present)
  byId('device').addEventListener('change', () => {
    phone.className = byId('device').value
    fit()
  })
  addEventListener('resize', fit)
  byId('look').addEventListener('change', () => {
    phone.style.colorScheme = byId('look').value
  })
  fit()
}
