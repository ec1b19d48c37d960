import { AppError } from '../../../platform/errors.ts'
import { P12_FLAGS, readP12 } from '../apns/command-line.ts'
import type { GatewayCommandLine } from '../gateway.ts'

export const safariCommandLine: GatewayCommandLine = {
  flags: {
    ...P12_FLAGS,
    'icon-url': { value: 'URL', description: 'icon of the website' },
    'site-url': { value: 'URL', description: 'address of the website' },
    'website-name': { value: 'NAME', description: 'name shown above notifications; default: the host of --site-url' },
    intermediate: {
      value: 'FILE',
      description: 'Apple’s intermediate certificate, if the --p12 file does not contain it',
    },
  },
  examples: [
    '--p12 website.p12 --password-file website.p12.password --site-url https://example.com --icon-url https://example.com/icon.png',
  ],
  factLabels: { websitePushId: 'website push id', siteUrl: 'site', iconUrl: 'icon', websiteName: 'name' },
  async readFlags(given, files) {
    if (['p12', 'site-url', 'icon-url'].some((name) => given[name] === undefined)) {
      throw new AppError(
        'usage',
        'safari needs --p12 FILE --site-url URL --icon-url URL (and --password-file FILE if the file has a password)',
      )
    }
    const { intermediate } = given
    return {
      ...(await readP12(given, files)),
      siteUrl: given['site-url'],
      iconUrl: given['icon-url'],
      websiteName: given['website-name'],
      ...(typeof intermediate === 'string' && {
        intermediate: asCertificate(await files.bytes(intermediate, '--intermediate')),
      }),
    }
  },
}

/** PEM stays text; the .cer files that Apple hands out are DER. */
function asCertificate(bytes: Buffer): string {
  return bytes.includes('-----BEGIN') ? bytes.toString('utf8') : bytes.toString('base64')
}
