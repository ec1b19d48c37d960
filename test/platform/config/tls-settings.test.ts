import { expect } from 'chai'
import { loadConfig } from '../../../src/config.ts'
import { isForName } from '../../../src/platform/crypto/x509.ts'

const ACME = { 'acme.enabled': 'true', 'acme.agree': 'true', baseUrl: 'https://push.example.com' }
const FILES = { 'tls.certFile': 'cert.pem', 'tls.keyFile': 'key.pem' }

/** Settings that contradict each other, and what the sentence says. */
const WRONG: [flags: Record<string, string>, sentence: string][] = [
  [{ 'tls.certFile': 'cert.pem' }, 'tls.keyFile must be set with tls.certFile'],
  [{ 'tls.keyFile': 'key.pem' }, 'tls.certFile must be set with tls.keyFile'],
  [{ ...FILES, ...ACME }, 'tls.certFile and acme.enabled exclude each other'],
  [{ ...FILES, baseUrl: 'http://push.example.com' }, 'baseUrl must begin with https://'],
  [{ ...FILES, 'tls.port': '80' }, 'tls.httpPort must differ from tls.port'],
  [{ ...FILES, 'tls.port': '8080' }, 'tls.port must differ from port'],
  [{ ...ACME, 'acme.agree': 'false' }, 'acme.agree must be true'],
  [{ ...ACME, baseUrl: '' }, 'baseUrl must be set with acme.enabled'],
  [{ ...ACME, baseUrl: 'https://192.0.2.1' }, 'baseUrl is 192.0.2.1, which is an IP address'],
  [{ ...ACME, baseUrl: 'https://localhost' }, 'which has no dot'],
  [{ ...ACME, 'hosts.data': 'data.internal' }, 'hosts.data is data.internal, which is a name of private networks'],
  [{ ...ACME, 'acme.challenge': 'http-01', 'tls.httpPort': 'off' }, 'needs tls.httpPort'],
  [{ 'tls.httpPort': 'none' }, 'tls.httpPort must be off or an integer'],
  [{ 'acme.email': 'nobody' }, 'acme.email must be an e-mail address'],
]

describe('the settings of TLS', () => {
  for (const [flags, sentence] of WRONG) {
    it(`are refused: ${sentence}`, async () => {
      const error = await loadConfig({ environment: {}, flags }).catch((thrown: Error) => thrown)
      expect(error).to.be.instanceOf(Error).with.property('message').that.contains(sentence)
    })
  }

  it('may name private hosts for an authority of their own', async () => {
    await loadConfig({ environment: {}, flags: { ...ACME, baseUrl: 'https://push.internal', 'acme.caFile': 'ca.pem' } })
  })

  it('name a device as the certificate without an end to wait for', async () => {
    const config = (await loadConfig({ environment: {}, flags: { ...FILES, 'tls.certFile': '/dev/zero' } })).config
    expect(config.baseUrl).to.equal('')
  })

  it('a star in a certificate stands for one label', () => {
    const names = ['example.com', '*.lnk.example.com']
    const hosts = ['example.com', 'a.lnk.example.com', 'a.b.lnk.example.com', 'lnk.example.com', 'push.example.com']
    expect(hosts.map((host) => isForName(names, host))).to.deep.equal([true, true, false, false, false])
  })
})
