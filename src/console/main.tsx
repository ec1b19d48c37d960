import './styles/index.css'
import { render } from 'preact'
import { Shell } from './shell/shell.tsx'
import { startKeys } from './state/keys.ts'
import { startRouter } from './state/router.ts'
import { startTheme } from './state/theme.ts'

startTheme()
startRouter()
startKeys()
render(<Shell />, document.querySelector('#console')!)
