import type { KubeletFields } from '../repo/schema/common.ts'
import type { Layer } from './layers.ts'
import type { MergedFlags } from './prepare-flags.ts'
import { type Origin, problemAt, type RenderProblem } from './render-problem.ts'
import { referencesIn, templateMistake } from './templates.ts'
import { traceConfig } from './trace-config.ts'

export interface CollectedTemplates {
  /** Everything that a node must provide, and a place that asks for it. */
  readonly references: ReadonlyMap<string, Origin>
  readonly problems: readonly RenderProblem[]
}

/** Templates in the values that count; those in values that a later layer replaced ask for nothing. */
export function collectTemplates(flags: MergedFlags, config: readonly Layer<KubeletFields>[]): CollectedTemplates {
  const values = [
    ...[...flags].map(([name, { doc, path, value }]) => ({ what: `flag --${name}`, value, origin: { doc, path } })),
    ...traceConfig(config.some(mentionsTemplate) ? config : []).map((traced) => ({
      what: `field ${traced.path.join('.')}`,
      ...traced,
    })),
  ]
  const judged = values.map((value) => ({ ...value, mistake: templateMistake(value.value) }))
  const sound = judged.filter(({ mistake }) => mistake === undefined)
  return {
    references: new Map(
      sound.flatMap(({ value, origin }) => referencesIn(value).map((reference) => [reference, origin] as const)),
    ),
    problems: judged.flatMap(({ what, mistake, origin }) =>
      mistake === undefined ? [] : [problemAt(`${what}: ${mistake}`, origin)],
    ),
  }
}

function mentionsTemplate({ value }: Layer<KubeletFields>): boolean {
  return JSON.stringify(value).includes('{{')
}
