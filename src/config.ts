import { vendorAddresses } from './domain/gateways/registry.ts'
import * as platform from './platform/config/config.ts'
import { settingsWith } from './platform/config/settings.ts'
import * as file from './platform/config/settings-file.ts'

/** Every setting of the program: those of `platform/config/settings.ts`, and the addresses that gateways declare. */
export const SETTINGS = settingsWith(vendorAddresses)

/** See `platform/config/config.ts`. */
export const loadConfig = (input: platform.ConfigInput) => platform.loadConfig(SETTINGS, input)

/** The text of `config/default.yaml`. */
export const defaultYaml = () => file.defaultYaml(SETTINGS)

/** The text of a settings file to edit. */
export const commentedYaml = (head: readonly string[], given?: Readonly<Record<string, string>>) =>
  file.commentedYaml(SETTINGS, head, given)

/** The text of `docs/reference/settings.md`. */
export const settingsPage = () => file.settingsPage(SETTINGS)
