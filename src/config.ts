import { vendorAddresses } from './domain/gateways/registry.ts'
import * as platform from './platform/config/config.ts'

/** Every setting of the program: those of `platform/config/config.ts`, and the addresses that gateways declare. */
export const SETTINGS = platform.settingsWith(vendorAddresses)

/** See `platform/config/config.ts`. */
export const loadConfig = (input: platform.ConfigInput) => platform.loadConfig(SETTINGS, input)

/** See `platform/config/config.ts`. */
export const settingsForOthers = (config: platform.Config) => platform.settingsForOthers(SETTINGS, config)

/** See `platform/config/config.ts`. */
export const withSettingsOf = (config: platform.Config, texts: Readonly<Record<string, unknown>>) =>
  platform.withSettingsOf(SETTINGS, config, texts)

/** The text of `config/default.yaml`. */
export const defaultYaml = () => platform.defaultYaml(SETTINGS)

/** The text of a settings file to edit. */
export const commentedYaml = (head: readonly string[], given?: Readonly<Record<string, string>>) =>
  platform.commentedYaml(SETTINGS, head, given)

/** The text of `docs/reference/settings.md`. */
export const settingsPage = () => platform.settingsPage(SETTINGS)
