/** The cells of the first lines of a CSV text (RFC 4180), to show what is in a file. The last of them may be cut off. */
export function firstLines(text: string, most: number): string[][] {
  const lines: string[][] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    cells.push(cell)
    cell = ''
  }
  const endLine = () => {
    endCell()
    lines.push(cells)
    cells = []
  }
  for (let i = text.startsWith('\uFEFF') ? 1 : 0; i < text.length && lines.length < most; i++) {
    const letter = text[i]!
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[i + 1] === '"') {
        cell += '"'
        i++
      } else isQuoted = false
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === ',') endCell()
    else if (letter === '\n' || letter === '\r') {
      if (letter === '\r' && text[i + 1] === '\n') i++
      endLine()
    } else cell += letter
  }
  if (lines.length < most && (cell !== '' || cells.length > 0)) endLine()
  return lines
}
