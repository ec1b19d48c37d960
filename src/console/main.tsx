import './styles/index.css'
import { render } from 'preact'
import { startKeys } from './shell/keys.ts'
import { startRouter } from './shell/router.ts'
import { Shell } from './shell/shell.tsx'
import { startTheme } from './shell/theme.ts'

startTheme()
startRouter()
startKeys()
render(<Shell />, document.querySelector('#console')!)
