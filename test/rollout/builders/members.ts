import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { Member, WaveProgress } from '../../../src/rollout/model/pool-state.ts'
import { wantedConfig } from './revisions.ts'

/** A member of an open wave that waits for its turn. */
export function aMember(node: NodeView, more: Partial<Member> = {}): Member {
  const wanted = wantedConfig({ digest: 'new', disruption: 'drain' })
  return {
    node,
    report: reportOf(node),
    revision: 'new',
    wanted,
    target: wanted,
    exposure: { content: 'target', because: 'OpenWave' },
    wave: 0,
    progress: { phase: 'Waiting', pending: true },
    assigned: false,
    changes: true,
    isExposed: false,
    wasTried: false,
    broken: false,
    selectedAt: undefined,
    isAtRest: false,
    ...more,
  }
}

/** Of a pool none of whose nodes is in a wave. */
export const NO_WAVES: WaveProgress = {
  pending: 0,
  current: 0,
  total: 0,
  newest: { total: 0, heard: 0 },
  beyond: 0,
  changed: { current: 0, heard: 0, beyond: 0 },
}
