// Plays the app in a preview: presents the embedded document, closes it when asked, and shows which actions a button
// has.
{
  const content = JSON.parse(document.getElementById('content').textContent)
  const said = document.getElementById('said')
  const tell = (type, data) => window.postHostMessage({ type, data })
  const present = () => {
    said.textContent = ''
    tell('PRESENT_MESSAGE', content)
  }
  const say = (text) => {
    said.textContent = text
  }
  const endings = ['closeMessage', 'openUrl', 'deepLink', 'requestAppStoreRating', 'promptPushPermission']
  window.Android = {
    postClientMessage(json) {
      const { type, data } = JSON.parse(json)
      if (type === 'READY') setTimeout(present)
      else if (type === 'EXECUTE_ACTIONS') {
        say(data.actions.map((action) => `${action.type} ${JSON.stringify(action.data).replace('{}', '')}`).join('\n'))
        if (data.actions.some((action) => endings.indexOf(action.type) >= 0)) setTimeout(() => tell('CLOSE_MESSAGE'))
      }
    },
  }
  document.getElementById('again').addEventListener('click', present)
}
