/** Characters of a message that are logged. */
const MAX_MESSAGE = 300

/**
 * An unexpected error for the log: what it is and where, without the texts in it. Messages of JSON, of databases and of libraries quote what
 * a caller sent, and a stack begins with the message. Pure.
 */
export function withoutTexts(thrown: unknown): Error {
  const shown = new Error(
    typeof thrown === 'object' ? 'something that is no error was thrown' : `${typeof thrown} was thrown`,
  )
  if (!(thrown instanceof Error)) return shown
  const { name, message, stack = '' } = thrown
  const quoted = /["'`\u2018\u201c][^]*["'`\u2019\u201d]/
  const first = message.replace(quoted, '…').split(/[\r\n]/, 1)[0]!
  shown.name = /^\w{1,60}$/.test(name) ? name : 'Error'
  shown.message = first.slice(0, MAX_MESSAGE)
  const at = stack.indexOf(message)
  const frames = (at < 0 ? '' : stack.slice(at + message.length)).split('\n').filter((line) => /^ {4}at /.test(line))
  shown.stack = [`${shown.name}: ${shown.message}`, ...frames].join('\n')
  return shown
}
