import { stepCommand } from './step.ts'

export const SeriesResume = stepCommand('resume')
