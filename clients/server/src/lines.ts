/** An answer that ended before it was whole. */
export class CutOff extends Error {
  override readonly name = 'CutOff'
}

/**
 * Yields the values of a body of lines (NDJSON) as they come; none without a body. Throws `CutOff` when it breaks off, says nothing for
 * `silentMs`, or ends within a line.
 */
export async function* readLines<T>(
  body: ReadableStream<Uint8Array> | null | undefined,
  silentMs: number,
): AsyncGenerator<T, void> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await within(silentMs, reader.read())
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line !== '') yield JSON.parse(line) as T
    }
  } finally {
    // The caller may have stopped in the middle: nothing more is wanted from the server then.
    reader.cancel().catch(() => undefined)
  }
  if (rest !== '') throw new CutOff('the answer ended within a line')
}

async function within<T>(ms: number, reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CutOff(`nothing came for ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([reading, late])
  } catch (error) {
    throw error instanceof CutOff ? error : new CutOff('the connection broke', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
