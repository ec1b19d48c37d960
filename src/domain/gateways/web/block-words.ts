import type { FieldWords } from '../gateway.ts'

/** Descriptions of this block in the interface document. */
export const blockWords: FieldWords = {
  '': ['Web Push. The first block generates a key pair unless it brings one; later blocks keep it.'],
  'vapid.privateKey': ['Private key in base64url.', 'dGhpcyBpcyBub3QgYSByZWFsIGtleSwganVzdCAzMiBieQ'],
  iconUrl: ['Icon of notifications.', 'https://example.com/icon.png'],
  subject: [
    'Whom push services contact: a `mailto:` or `https:` address. Without it, the stored address stays.',
    'mailto:push@example.com',
  ],
  vapid: ['The VAPID key pair of the app, if it has one already.'],
  'vapid.publicKey': [
    'Public key in base64url.',
    'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
  ],
  rotate: ['True replaces the VAPID keys. Browsers that subscribed with earlier ones stay reachable.', false],
}
