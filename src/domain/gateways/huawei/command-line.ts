import { AppError } from '../../../platform/errors.ts'
import type { GatewayCommandLine } from '../gateway.ts'

export const huaweiCommandLine: GatewayCommandLine = {
  flags: {
    'app-id': { value: 'ID', description: 'App ID of AppGallery Connect' },
    'app-id-password-file': { value: 'FILE', description: 'client secret of the app' },
  },
  examples: ['--app-id 101234567 --app-id-password-file client-secret.txt'],
  factLabels: { appId: 'app id' },
  async readFlags(given, files) {
    const file = given['app-id-password-file']
    if (given['app-id'] === undefined || typeof file !== 'string') {
      throw new AppError('usage', 'hcm needs --app-id ID --app-id-password-file FILE')
    }
    const id = given['app-id']
    // The check says what is wrong with anything else.
    const appId = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id
    return { appId, appIdPassword: await files.secret(file, '--app-id-password-file') }
  },
}
