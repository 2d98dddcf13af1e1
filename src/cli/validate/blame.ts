import type { KubeletSample, SampleOrigin } from '../../render/kubelet-sample.ts'
import { locate } from '../../render/render-problem.ts'
import type { Doc, Location } from '../../repo/model.ts'
import { formatLocation, type Problem } from '../../repo/problem.ts'
import { placeOf } from '../read-fleet.ts'

interface Complaint {
  readonly severity: Problem['severity']
  readonly message: string
  /** The kubelet's own words. */
  readonly said: string
  readonly pool: Doc<unknown>
  readonly sample: KubeletSample
}

/** A complaint of a kubelet at the place that set what it speaks of; at the pool's version where it names nothing that the repository set. */
export function blame({ severity, message, said, pool, sample }: Complaint): Problem {
  const version = pool.source.where(['kubelet', 'version'])
  const [first, ...others] = placesNamedIn(said, sample.origins)
  const also = others.length > 0 ? `; see also ${others.map(formatLocation).join(', ')}` : ''
  const problem = { severity, reason: 'ToldByKubelet', at: placeOf(first ?? version), message: message + also } as const
  return first === undefined ? problem : { ...problem, usedBy: [version] }
}

/** Best effort: a kubelet names flags as `--max-pods` and fields by their last step, or by the one before where that is a map's key. */
function placesNamedIn(said: string, origins: readonly SampleOrigin[]): Location[] {
  const words = new Set(said.match(/--[\w-]+|\w+/g))
  const isNamed = (step: string | undefined) => step !== undefined && isTelling(step) && words.has(step)
  const exact = origins.filter(({ path }) => isNamed(path.at(-1)))
  const found = exact.length > 0 ? exact : origins.filter(({ path }) => path.some(isNamed))
  const places = found.map(({ origin }) => locate(origin))
  return [...new Map(places.map((place) => [formatLocation(place), place])).values()]
}

/** `enabled` or `mode` may be just a word of a sentence; `maxPods` and `--mode` are not. */
function isTelling(step: string): boolean {
  return step.startsWith('--') || /[A-Z]/.test(step)
}

/** Pools share documents, and each pool's kubelet complains of them again. */
export function oncePerPlace(problems: readonly Problem[]): Problem[] {
  const alike = Map.groupBy(problems, ({ severity, at, message }) => `${severity} ${formatLocation(at)} ${message}`)
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, usedBy: [first, ...others].flatMap(({ usedBy = [] }) => usedBy) }],
  )
}
