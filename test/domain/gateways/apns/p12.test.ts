import { createHmac, pbkdf2Sync } from 'node:crypto'
import { expect } from 'chai'
import forge from 'node-forge'
import { openP12 } from '../../../../src/domain/gateways/apns/p12.ts'
import { P12Failure } from '../../../../src/domain/gateways/apns/p12-cipher.ts'
import { makeP12 } from './certificates.ts'
import { P12_FILES, PASSWORD } from './p12-files.ts'

const open = (base64: string, password: string) => openP12(Buffer.from(base64, 'base64'), password)

async function failure(base64: string, password: string): Promise<P12Failure> {
  try {
    await open(base64, password)
  } catch (error) {
    expect(error).to.be.instanceOf(P12Failure)
    return error as P12Failure
  }
  throw new Error('it opened')
}

describe('a p12 file', () => {
  const openable = ['legacy', 'rc2', 'twoKeyTripleDes', 'aes', 'aes128Sha512', 'withoutMac', 'unencrypted'] as const
  for (const name of openable) {
    it(`as OpenSSL writes it (${name}) opens with its password and its key fits its certificate`, async () => {
      const { keys, certificates } = await open(P12_FILES[name], PASSWORD)
      expect(keys).to.have.length(1)
      expect(certificates).to.have.length(1)
      expect(certificates[0]!.checkPrivateKey(keys[0]!)).to.equal(true)
    })

    it(`(${name}) with a wrong password says so`, async () => {
      expect((await failure(P12_FILES[name], 'wrong')).kind).to.equal('password')
    })
  }

  it('with an empty password opens without one', async () => {
    expect((await open(P12_FILES.emptyPassword, '')).keys[0]!.asymmetricKeyType).to.equal('ec')
  })

  for (const algorithm of ['aes128', 'aes256', '3des'] as const) {
    it(`written by another library with ${algorithm} opens`, async () => {
      const { keys, certificates } = await open(makeP12({ algorithm }), 'secret')
      expect([keys.length, certificates.length]).to.deep.equal([1, 1])
    })
  }

  it('encrypted with RC4 is told apart from a wrong password', async () => {
    const error = await failure(P12_FILES.rc4, PASSWORD)
    expect(error.kind).to.equal('unsupported')
    expect(error.message).to.contain('RC4')
  })

  it('that is none is told apart from a wrong password', async () => {
    for (const bytes of ['', 'garbage', '0\x03\x02\x01\x03', '\x30\x80\x30\x80']) {
      expect((await failure(Buffer.from(bytes, 'binary').toString('base64'), 'x')).kind).to.equal('not_p12')
    }
  })

  it('nested very deep is refused instead of exhausting the stack', async () => {
    expect((await failure(Buffer.alloc(60_000, Buffer.from([0x30, 0x80])).toString('base64'), 'x')).kind).to.equal(
      'not_p12',
    )
  })

  it('cut short is refused at every length', async () => {
    const whole = Buffer.from(P12_FILES.aes, 'base64')
    for (let length = 0; length < whole.length; length += 37) {
      const error = await failure(whole.subarray(0, length).toString('base64'), PASSWORD)
      expect(error.kind).to.be.oneOf(['not_p12', 'password', 'unsupported'])
    }
  })

  it('with any byte changed never fails in an unforeseen way', async () => {
    const whole = Buffer.from(P12_FILES.rc2, 'base64')
    for (let at = 0; at < whole.length; at += 7) {
      const bent = Buffer.from(whole)
      bent[at] = bent[at]! ^ 0x55
      await open(bent.toString('base64'), PASSWORD).catch((error: unknown) => {
        expect(error, `byte ${at}: ${String(error)}`).to.be.instanceOf(P12Failure)
      })
    }
  })

  it('that asks for too many iterations is refused at once', async () => {
    const file = forge.asn1.fromDer(Buffer.from(makeP12(), 'base64').toString('binary'))
    const macData = (file.value as forge.asn1.Asn1[])[2]!
    ;(macData.value as forge.asn1.Asn1[])[2] = forge.asn1.create(
      forge.asn1.Class.UNIVERSAL,
      forge.asn1.Type.INTEGER,
      false,
      forge.asn1.integerToDer(0x7fffffff).getBytes(),
    )
    const started = performance.now()
    const hostile = Buffer.from(forge.asn1.toDer(file).getBytes(), 'binary').toString('base64')
    expect((await failure(hostile, 'secret')).kind).to.equal('costly')
    // They would take the better part of an hour.
    expect(performance.now() - started).to.be.below(20_000)
  })

  it('that is expensive to open lets other work run meanwhile', async () => {
    const file = makeP12({ algorithm: '3des', count: 60_000 })
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await open(file, 'secret')
    clearInterval(timer)
    expect(turns).to.be.above(3)
  })

  it('with the newer MAC (PBMAC1) opens', async () => {
    expect((await open(withPbmac1(P12_FILES.aes, PASSWORD), PASSWORD)).keys).to.have.length(1)
    expect((await failure(withPbmac1(P12_FILES.aes, PASSWORD), 'wrong')).kind).to.equal('password')
  })
})

/** The same file with its MAC replaced by RFC 9579's: PBKDF2 and HMAC, both SHA-256. */
function withPbmac1(base64: string, password: string): string {
  const { asn1 } = forge
  const make = (type: forge.asn1.Type, value: string | forge.asn1.Asn1[]) =>
    asn1.create(asn1.Class.UNIVERSAL, type, Array.isArray(value), value)
  const sequence = (...items: forge.asn1.Asn1[]) => make(asn1.Type.SEQUENCE, items)
  const oid = (text: string) => make(asn1.Type.OID, asn1.oidToDer(text).getBytes())
  const octets = (bytes: Buffer) => make(asn1.Type.OCTETSTRING, bytes.toString('binary'))
  const integer = (n: number) => make(asn1.Type.INTEGER, asn1.integerToDer(n).getBytes())
  const hmac = sequence(oid('1.2.840.113549.2.9'), make(asn1.Type.NULL, ''))
  const file = asn1.fromDer(Buffer.from(base64, 'base64').toString('binary'))
  const parts = file.value as forge.asn1.Asn1[]
  const wrapped = ((parts[1]!.value as forge.asn1.Asn1[])[1]!.value as forge.asn1.Asn1[])[0]!
  const contents = Buffer.from(wrapped.value as string, 'binary')
  const salt = Buffer.alloc(8, 7)
  const key = pbkdf2Sync(password, salt, 1000, 32, 'sha256')
  const kdf = sequence(oid('1.2.840.113549.1.5.12'), sequence(octets(salt), integer(1000), integer(32), hmac))
  const algorithm = sequence(oid('1.2.840.113549.1.5.14'), sequence(kdf, hmac))
  const digest = createHmac('sha256', key).update(contents).digest()
  parts[2] = sequence(sequence(algorithm, octets(digest)), octets(Buffer.from('unused')), integer(1))
  return Buffer.from(asn1.toDer(file).getBytes(), 'binary').toString('base64')
}
