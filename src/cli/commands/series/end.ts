import { stepCommand } from './step.ts'

export const SeriesEnd = stepCommand('end')
