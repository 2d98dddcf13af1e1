import type { KubeletFields } from '../repo/schema/common.ts'
import type { Layer } from './layers.ts'
import type { MergedFlags } from './prepare-flags.ts'
import { type Origin, problemAt, type RenderProblem } from './render-problem.ts'
import type { TemplatedFile } from './templated-files.ts'
import { referencesIn, templateMistake } from './templates.ts'
import { traceConfig } from './trace-config.ts'

export interface CollectedTemplates {
  /** Everything that a node must provide, and a place that asks for it. */
  readonly references: ReadonlyMap<string, Origin>
  readonly problems: readonly RenderProblem[]
}

/** Templates in the values that count; those in values that a later layer replaced ask for nothing. */
export function collectTemplates(
  flags: MergedFlags,
  config: readonly Layer<KubeletFields>[],
  files: readonly TemplatedFile[] = [],
): CollectedTemplates {
  const values = [
    ...[...flags].map(([name, { doc, path, value }]) => ({ what: `flag --${name}`, value, origin: { doc, path } })),
    ...traceConfig(config.some(mentionsTemplate) ? config : []).map((traced) => ({
      what: `field ${traced.path.join('.')}`,
      ...traced,
    })),
    ...files.flatMap(linesOf),
  ]
  const unreadable = files.filter(({ file }) => file.content === undefined)
  const judged = values.map((value) => ({ ...value, mistake: templateMistake(value.value) }))
  const sound = judged.filter(({ mistake }) => mistake === undefined)
  return {
    references: new Map(
      sound.flatMap(({ value, origin }) => referencesIn(value).map((reference) => [reference, origin] as const)),
    ),
    problems: [
      ...judged.flatMap(({ what, mistake, origin }) => (mistake === undefined ? [] : [problemAt(`${what}: ${mistake}`, origin)])),
      ...unreadable.map(({ file, origin }) =>
        problemAt(`file "${file.path}": it is not text in UTF-8, so nothing can be filled in; take out template`, origin),
      ),
    ],
  }
}

/** Line by line: a message quotes what it complains about. */
function linesOf({ file: { path, content = '' }, origin }: TemplatedFile) {
  const what = `file "${path}"`
  return content
    .split('\n')
    .filter((line) => line.includes('{{'))
    .map((value) => ({ what, value, origin }))
}

function mentionsTemplate({ value }: Layer<KubeletFields>): boolean {
  return JSON.stringify(value).includes('{{')
}
