import { call } from './client.ts'
import { ApiError } from './errors.ts'

/** Tells whether this browser, at this address, knows passkeys. */
export function hasPasskeys(): boolean {
  return isSecureContext && 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** Asks the server for a challenge and the person for a passkey. Returns what the server checks. */
export async function showPasskey(optionsPath: string): Promise<unknown> {
  const options = (await call('post', optionsPath, { body: {} })) as PublicKeyCredentialRequestOptionsJSON
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return jsonOf(await asked(() => navigator.credentials.get({ publicKey })))
}

/** Makes a passkey for this server. Returns what the server keeps. */
export async function makePasskey(optionsPath: string): Promise<unknown> {
  const options = (await call('post', optionsPath, { body: {} })) as PublicKeyCredentialCreationOptionsJSON
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return jsonOf(await asked(() => navigator.credentials.create({ publicKey })))
}

async function asked(ask: () => Promise<Credential | null>): Promise<Credential> {
  try {
    const credential = await ask()
    if (credential) return credential
  } catch (error) {
    // Also what a browser says when the name of the server is not that of the passkey.
    if (error instanceof DOMException && error.name === 'SecurityError') {
      throw new ApiError(0, 'Passkeys work only at the address of this server (baseUrl). Open the console there.')
    }
    if (error instanceof DOMException && error.name === 'InvalidStateError') {
      throw new ApiError(0, 'This device already has a passkey for you.')
    }
  }
  throw new ApiError(0, 'No passkey was used. Try again, or use your password.')
}

const jsonOf = (credential: Credential): unknown => (credential as PublicKeyCredential).toJSON()
