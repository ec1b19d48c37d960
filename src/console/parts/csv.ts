/** A record of CSV, and the line of the file in which it begins. */
export interface CsvRecord {
  line: number
  cells: string[]
  /** True when a quote in it is never closed. */
  isOpen?: boolean
}

/** The first records of a CSV text (RFC 4180), without empty lines. The last of them may be cut off where the text is. */
export function readCsv(text: string, most = Infinity): CsvRecord[] {
  const records: CsvRecord[] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let line = 1
  let begun = 1
  const endCell = () => {
    cells.push(cell)
    cell = ''
  }
  const endRecord = () => {
    endCell()
    if (cells.length > 1 || cells[0] !== '') records.push({ line: begun, cells })
    cells = []
    begun = line
  }
  for (let i = text.startsWith('\uFEFF') ? 1 : 0; i < text.length && records.length < most; i++) {
    const letter = text[i]!
    if (letter === '\n' || (letter === '\r' && text[i + 1] !== '\n')) line++
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[i + 1] === '"') {
        cell += '"'
        i++
      } else isQuoted = false
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === ',') endCell()
    else if (letter === '\n') endRecord()
    else if (letter === '\r') {
      if (text[i + 1] !== '\n') endRecord()
    } else cell += letter
  }
  if (records.length < most && (cell !== '' || cells.length > 0 || isQuoted)) endRecord()
  if (isQuoted && records.length > 0) records.at(-1)!.isOpen = true
  return records
}

/** The rule of src/platform/text/csv-text.ts, whose records these are: a browser has nothing of the server. A test holds them equal. */
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** The text of a cell that was written as `csvText` and the server write it. */
export const unguarded = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)

/** Records as CSV. A text that a program for tables would run gets an apostrophe. */
export const csvText = (records: readonly (readonly (string | number)[])[]): string =>
  records.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
