import type { Disruption } from '../../../../src/protocol/desired-config.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
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

/** Nodes that are labelled so get another digest, where the fleet renders by label: a template reads it. */
const VARIANT = ' test'

export const TARGETS = new Map(
  Object.entries(CONTENTS).flatMap(([content, { disruption }]) =>
    [content, `${content}${VARIANT}`].map((digest) => [digest, wantedConfig({ digest, disruption })] as const),
  ),
)

export function digestFor(
  content: Content,
  { labels }: Pick<NodeView, 'labels'>,
  { isByLabel }: { readonly isByLabel?: boolean },
): string {
  return isByLabel && 'tier' in labels ? `${content}${VARIANT}` : content
}

export function renderedFrom(digest: string | undefined): Content | undefined {
  return digest?.replace(VARIANT, '') as Content | undefined
}

export function contentOf(ref: { readonly fingerprint: string } | undefined): Content | undefined {
  return ref?.fingerprint.slice('of '.length) as Content | undefined
}
