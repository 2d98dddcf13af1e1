import type { Disruption } from '../../../../src/protocol/desired-config.ts'
import { wantedConfig } from '../../builders/revisions.ts'

/** What the host of a node does with it. */
export const CONTENTS = {
  first: { disruption: 'restart', effect: 'good' },
  second: { disruption: 'restart', effect: 'good' },
  drained: { disruption: 'drain', effect: 'good' },
  bad: { disruption: 'restart', effect: 'fails' },
  'bad drained': { disruption: 'drain', effect: 'fails' },
  'bad on one': { disruption: 'restart', effect: 'fails on one' },
  ruin: { disruption: 'drain', effect: 'ruins' },
  unproved: { disruption: 'restart', effect: 'unproved' },
  fix: { disruption: 'restart', effect: 'good' },
} as const satisfies Record<string, { readonly disruption: Disruption; readonly effect: string }>
export type Content = keyof typeof CONTENTS

export const TARGETS = new Map(
  Object.entries(CONTENTS).map(([digest, { disruption }]) => [digest, wantedConfig({ digest, disruption })]),
)

export function contentOf(ref: { readonly fingerprint: string } | undefined): Content | undefined {
  return ref?.fingerprint.slice('of '.length) as Content | undefined
}
