import { vendorAddresses } from './domain/gateways/registry.ts'
import * as platform from './platform/config/config.ts'
import { type Config, settingsWith } from './platform/config/settings.ts'
import * as file from './platform/config/settings-file.ts'

/** Every setting of the program: those of `platform/config/settings.ts`, and the addresses that gateways declare. */
export const SETTINGS = settingsWith(vendorAddresses)

/** See `platform/config/config.ts`. */
export const loadConfig = (input: platform.ConfigInput) => platform.loadConfig(SETTINGS, input)

/** See `platform/config/config.ts`. */
export const settingsForOthers = (config: Config) => platform.settingsForOthers(SETTINGS, config)

/** See `platform/config/config.ts`. */
export const withSettingsOf = (config: Config, texts: Readonly<Record<string, unknown>>) =>
  platform.withSettingsOf(SETTINGS, config, texts)

/** The text of `config/default.yaml`. */
export const defaultYaml = () => file.defaultYaml(SETTINGS)

/** The text of a settings file to edit. */
export const commentedYaml = (head: readonly string[], given?: Readonly<Record<string, string>>) =>
  file.commentedYaml(SETTINGS, head, given)

/** The text of `docs/reference/settings.md`. */
export const settingsPage = () => file.settingsPage(SETTINGS)
