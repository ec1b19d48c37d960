import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeCa } from '../../test/support/certificates.ts'
import { startNghttpd } from '../../test/support/nghttpd.ts'

export interface FileServer {
  url: string
  /** The certificate of its authority, and the file with it. */
  caPem: string
  caFile: string
  stop(): Promise<void>
}

/** nghttpd that answers every request for one of these paths with its text. `streams` are those that it allows for a connection. */
export async function startFileServer(texts: Record<string, string>, streams: number): Promise<FileServer> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-files-'))
  const ca = makeCa()
  const { certPem, keyPem } = ca.issue({ cn: 'localhost' })
  const file = (name: string, text: string) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  const [cert, key, caFile] = [file('cert.pem', certPem), file('key.pem', keyPem), file('ca.pem', ca.certPem)]
  for (const [path, text] of Object.entries(texts)) file(join('root', path), text)
  const nghttpd = await startNghttpd(['-m', String(streams), '-d', join(dir, 'root')], [key, cert])
  return {
    url: `https://localhost:${nghttpd.port}`,
    caPem: ca.certPem,
    caFile,
    async stop() {
      await nghttpd.stop()
      rmSync(dir, { recursive: true })
    },
  }
}
