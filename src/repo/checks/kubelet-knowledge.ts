import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { checkConfig } from '../kubelet-knowledge/check-config.ts'
import { checkFlags } from '../kubelet-knowledge/check-flags.ts'
import type { KnowledgeFinding } from '../kubelet-knowledge/finding.ts'
import { KNOWN_VERSIONS, minorOf, NEWEST_MINOR, OLDEST_MINOR } from '../kubelet-knowledge/versions.ts'
import type { Problem } from '../problem.ts'
import type { NodeOverrideSpec } from '../schema/node-override.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'
import { UNUSED, type Use, usesOf } from './uses.ts'

/** Fields and flags, each against what the kubelet versions of the pools that use them know. */
export function checkKubeletKnowledge({ documents }: Draft): Problem[] {
  const flagUses = usesOf(documents, 'flagSets')
  const configUses = usesOf(documents, 'config')
  const pools = [...documents.NodePool.values()]
  const versions = [...new Set(pools.map(({ spec }) => spec.kubelet?.version))]
  return [
    ...pools.flatMap(checkVersion),
    ...pools.flatMap((pool) =>
      place(pool, ['kubelet', 'flags'], checkFlags(pool.spec.kubelet?.flags ?? {}, pool.spec.kubelet?.version)),
    ),
    ...[...documents.FlagSet.values()].flatMap((set) =>
      judge(set, { path: ['flags'], uses: flagUses.get(set.name), check: (version) => checkFlags(set.spec.flags, version) }),
    ),
    ...[...documents.KubeletConfig.values()].flatMap((config) =>
      judge(config, {
        path: ['config'],
        uses: configUses.get(config.name),
        check: (version) => checkConfig(config.spec.config, version),
      }),
    ),
    ...[...documents.NodeOverride.values()].flatMap((override) => checkOverride(override, versions)),
  ]
}

interface Judgement {
  readonly path: Path
  readonly uses: readonly Use[] | undefined
  readonly check: (version: string | undefined) => KnowledgeFinding[]
}

function judge(document: Loaded<unknown>, { path, uses = UNUSED, check }: Judgement): Problem[] {
  return uses.flatMap(({ version, usedBy }) => place(document, path, check(version)).map((problem) => ({ ...problem, usedBy })))
}

/** An override may meet any pool: only what no pool's kubelet would take is wrong for sure. */
function checkOverride(override: Loaded<NodeOverrideSpec>, versions: readonly (string | undefined)[]): Problem[] {
  const { flags = {}, config = {} } = override.spec
  return [
    ...place(
      override,
      ['flags'],
      foundInAll(versions, (version) => checkFlags(flags, version)),
    ),
    ...place(
      override,
      ['config'],
      foundInAll(versions, (version) => checkConfig(config, version)),
    ),
  ]
}

function foundInAll(
  versions: readonly (string | undefined)[],
  check: (version: string | undefined) => KnowledgeFinding[],
): KnowledgeFinding[] {
  const [first = [], ...others] = versions.map(check)
  const known = others.map((findings) => new Set(findings.map(({ path }) => path.join('\0'))))
  return first.filter(({ path }) => known.every((paths) => paths.has(path.join('\0'))))
}

function place(document: Loaded<unknown>, base: Path, findings: readonly KnowledgeFinding[]): Problem[] {
  return findings.map(({ path, ...rest }) => errorAt(document, [...base, ...path], rest))
}

function checkVersion(pool: Loaded<NodePoolSpec>): Problem[] {
  const version = pool.spec.kubelet?.version
  if (version === undefined || isKnown(version)) return []
  const nearest = minorOf(version) > NEWEST_MINOR ? KNOWN_VERSIONS.at(-1) : KNOWN_VERSIONS[0]
  const message = `kubelet ${version} is not known to this version of nodewave; its fields and flags are checked as those of ${nearest}`
  return [{ ...errorAt(pool, ['kubelet', 'version'], { reason: 'UnknownVersion', message }), severity: 'warning' }]
}

function isKnown(version: string): boolean {
  return version.startsWith('1.') && minorOf(version) >= OLDEST_MINOR && minorOf(version) <= NEWEST_MINOR
}
