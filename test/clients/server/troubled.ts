import type { Options } from '../../../clients/server/src/index.ts'

/** A `fetch` that meets, call by call, what a test lists: a status with headers, or an answer that is lost on its way back. */
export function troubled(...troubles: (Response | 'lost' | 'cut off')[]) {
  const sent: { method: string; headers: Headers; body: unknown }[] = []
  const send: NonNullable<Options['fetch']> = async (url, init) => {
    sent.push({ method: init.method!, headers: new Headers(init.headers), body: init.body })
    const trouble = troubles.shift()
    if (trouble instanceof Response) return trouble
    const response = await fetch(url, init)
    if (trouble === 'lost') throw new TypeError('fetch failed')
    if (trouble === 'cut off') return cutOff(response)
    return response
  }
  return { sent, send }
}

/** The head of an answer and half of its body. */
async function cutOff(response: Response): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer())
  const body = new ReadableStream<Uint8Array>({
    start(to) {
      to.enqueue(whole.subarray(0, whole.length / 2))
    },
    pull: (to) => to.error(new TypeError('terminated')),
  })
  return new Response(body, response)
}
