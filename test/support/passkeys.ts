import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** CBOR of an authenticator's answer (RFC 8949): integers, bytes, text and maps. */
function cbor(value: number | string | Buffer | Map<unknown, unknown>): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const parts = [...value].flatMap(([key, one]) => [cbor(key as never), cbor(one as never)])
  return Buffer.concat([head(5, value.size), ...parts])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

const digest = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** An authenticator with one passkey, as a phone has it; `origin` is the page that the browser shows. */
export function softPasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0

  const client = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  /** Section 6.1 of WebAuthn level 3; the flags say user present and verified. */
  const authenticator = (rpId: string, flags: number, more: Buffer) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    return Buffer.concat([digest(rpId), Buffer.from([flags]), count, more])
  }
  const shown = (response: Record<string, string>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  return {
    /** The result of `navigator.credentials.create`. */
    make({ challenge, rp }: { challenge: string; rp: { id: string } }) {
      const point = (text: string | undefined) => Buffer.from(text!, 'base64url')
      const key = new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, point(x)],
        [-3, point(y)],
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)])
      const attestation = new Map<unknown, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authenticator(rp.id, 0x45, credential)],
      ])
      return shown({
        clientDataJSON: client('webauthn.create', challenge).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
      })
    },

    /** The result of `navigator.credentials.get`. */
    use({ challenge, rpId }: { challenge: string; rpId: string }) {
      const clientData = client('webauthn.get', challenge)
      const data = authenticator(rpId, 0x05, Buffer.alloc(0))
      const signature = createSign('sha256').update(data).update(digest(clientData)).sign(privateKey)
      return shown({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}
