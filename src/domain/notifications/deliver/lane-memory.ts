import type { Config } from '../../../platform/config/settings.ts'
import type { Sender } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/registry.ts'
import type { Lane } from '../../gateways/types.ts'
import { createLaneControl, type LaneControl } from './lane-control.ts'

/** A gateway of an app that does not answer. */
export interface SilentLane extends Pick<Lane, 'appId' | 'platform'> {
  /** Since when it has not answered (wall clock, ms). */
  since: number
  reason: string
}

/** Keeps what one thread has learned of each lane from one run of it to the next. */
export function createLaneMemory(config: Config) {
  const known = new Map<number, { lane: Lane; control: LaneControl; sender: Sender | undefined }>()

  const newControl = ({ platform, holds }: Lane) => {
    const gateway = findGateway(platform)
    return createLaneControl({
      refusalLimit: config['delivery.refusalLimit'],
      holds,
      rampMs: config['delivery.ramp'] * 1000,
      gradual: config['delivery.gradual'] && gateway?.gradual === true,
      manyHosts: gateway?.manyHosts === true,
    })
  }

  return {
    /** The control of a lane, brought up to date with the lane as stored and the sender of its present credential. */
    controlOf(lane: Lane, sender: Sender | undefined): LaneControl {
      const before = known.get(lane.id)
      const control = before?.control ?? newControl(lane)
      if (before && (control.hold || lane.holds > 0)) control.resume(lane.holds)
      if (sender !== before?.sender) control.doubt()
      known.set(lane.id, { lane, control, sender })
      return control
    },

    /** The gateways that do not answer now. */
    silent: (now: number): SilentLane[] =>
      [...known.values()].flatMap(({ lane: { appId, platform }, control }) => {
        const silence = control.silence(now)
        return silence === undefined ? [] : [{ appId, platform, ...silence }]
      }),
  }
}
