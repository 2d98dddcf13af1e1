import { type Disruption, greatest } from '../protocol/desired-config.ts'
import type { NodeContent } from '../protocol/digest.ts'
import { readerOf, unitOfFile, unitOfScript } from '../protocol/file-readers.ts'
import { type HostDocument, parseHostDocument } from '../protocol/host-document.ts'
import { packageSubject } from '../protocol/names.ts'
import { settingsIn, type Taint } from '../protocol/node-settings.ts'
import type { DisruptionRules } from '../repo/rollout-settings.ts'
import { type ContentChange, diffConfig, diffFlags, diffHost, diffSecrets, isOfBinary } from './diff-content.ts'
import { kubeletEffect, lettersOf } from './kubelet-effects.ts'

export interface DisruptionVerdict {
  readonly disruption: Disruption
  /** Each says what changes, why that disturbs, and what it takes: `config.clusterDNS: running pods keep the old value (drain)`. */
  readonly reasons: readonly string[]
}

/**
 * How much a change disturbs a node, and why.
 * @param from undefined when nodewave has not configured the node yet: what is on it then is unknown but for `running`.
 * @param options.running version of the kubelet that runs, with or without `v`; it stands in where `from` names none.
 * @param options.rules where the pool knows better
 */
export type JudgeDisruption = (
  from: NodeContent | undefined,
  to: NodeContent,
  options?: { readonly running?: string | undefined; readonly rules?: DisruptionRules },
) => DisruptionVerdict

/** A judge that remembers the documents it compared: in a large fleet thousands of nodes share them. */
export function createDisruptionJudge(): JudgeDisruption {
  const configChanges = rememberPairs(diffConfig)
  const hostEffects = rememberPairs((from, to) => diffHost(from, to).flatMap((change) => hostEffectsOf(change, to)))
  return (from, to, { running, rules = {} } = {}) => {
    const version = versionEffects(from?.version ?? running, to.version, rules)
    if (from === undefined) return verdictOf([FIRST, ...version, ...firstTaints(to)])
    // Where the version changes, so does its binary: nothing more to tell.
    const host = hostEffects(from.host, to.host).filter(({ path }) => version.length === 0 || !isOfBinary(path))
    // A secret file disturbs as much as any other.
    const secrets = diffSecrets(from.secret, to.secret).flatMap(({ path: [, name = ''], ...change }) =>
      hostEffectsOf({ ...change, path: ['host', 'files', name, 'content'] }, to.host),
    )
    const kubelet = [...diffFlags(from, to), ...configChanges(from.config, to.config)]
    return verdictOf([...version, ...kubelet.map((change) => kubeletEffectOf(change, rules)), ...host, ...secrets])
  }
}

export const disruptionBetween: JudgeDisruption = (from, to, options) => createDisruptionJudge()(from, to, options)

interface Effect {
  readonly path: readonly string[]
  readonly disruption: Disruption
  readonly because: string
}

const FIRST: Effect = { path: ['node'], disruption: 'restart', because: 'it is configured for the first time' }

function firstTaints({ host }: NodeContent): Effect[] {
  return taintEffects(undefined, host === undefined ? undefined : settingsIn(host).taints)
}

function verdictOf(effects: readonly Effect[]): DisruptionVerdict {
  return {
    disruption: greatest(effects.map((effect) => effect.disruption)),
    reasons: [...new Set(effects.map(({ path, because, disruption }) => `${path.join('.')}: ${because} (${disruption})`))],
  }
}

/** A kubelet of another minor version may not take over running pods; one of another patch version may. */
function versionEffects(from: string | undefined, to: string | undefined, rules: DisruptionRules): Effect[] {
  const path = ['version']
  const { minorVersion = 'drain', patchVersion = 'restart' } = rules
  if (to === undefined || (from !== undefined && release(from) === release(to))) return []
  if (from === undefined) return [{ path, disruption: minorVersion, because: `${to} instead of an unknown version` }]
  if (minor(from) === minor(to))
    return [{ path, disruption: patchVersion, because: `patch release ${release(from)} → ${release(to)}` }]
  return [{ path, disruption: minorVersion, because: `minor release ${minor(from)} → ${minor(to)}` }]
}

/** Of a flag or a field; the members of a field have the effect of the whole. */
function kubeletEffectOf({ path: [part = '', name = ''], from, to }: ContentChange, { fields = {} }: DisruptionRules): Effect {
  const { because, disruption } = kubeletEffect(name, { from, to })
  const [, stated] = Object.entries(fields).find(([field]) => lettersOf(field) === lettersOf(name)) ?? []
  return { path: [part, name], disruption: stated ?? disruption, because }
}

/** The parts of KubeletInstall that end in a restart of the kubelet. */
const KUBELET_INSTALL = new Set(['layout', 'configMode', 'flagsFile', 'binary', 'package'])

/** Sections of which every change disturbs as much as a restart. */
const RESTARTING: Readonly<Record<string, string | undefined>> = {
  sysctls: 'the running kernel takes it at once',
  kernelModules: 'the running kernel loads it',
  certificates: 'containerd restarts',
  swap: 'what was swapped out needs memory',
  archives: 'what runs may be replaced',
  staticPods: 'the kubelet starts the pod again',
}

/** Pods are evicted whatever their budgets say, as soon as the taint is there: a drain comes before it. */
function taintEffects(from: unknown, to: unknown): Effect[] {
  const evicting = (taints: unknown): string[] =>
    ((taints ?? []) as readonly Taint[]).filter(({ effect }) => effect === 'NoExecute').map((taint) => JSON.stringify(taint))
  const before = evicting(from)
  if (evicting(to).every((taint) => before.includes(taint))) return []
  return [{ path: ['host', 'node', 'taints'], disruption: 'drain', because: 'pods without a toleration are evicted' }]
}

function hostEffectsOf(change: ContentChange, to: string | undefined): Effect[] {
  const [, part = '', name = '', what = ''] = change.path
  const restart = (because: string): Effect => ({ path: ['host', part, name].filter(Boolean), disruption: 'restart', because })
  const because = RESTARTING[part]
  if (because !== undefined) return [restart(because)]
  if (part === 'kubelet') return KUBELET_INSTALL.has(name) ? [restart('the kubelet is reinstalled')] : []
  if (part === 'units') return what === 'enabled' ? [] : [restart('the unit restarts')]
  if (part === 'time') return name === 'ntp' ? [restart('systemd-timesyncd restarts')] : []
  if (part === 'kernelArguments') return [{ ...restart('the kernel reads it when it boots'), disruption: 'reboot' }]
  if (part === 'packages')
    return what === 'hold'
      ? []
      : [restart('its scripts may restart what it brings'), ...statedEffects(packageSubject(name), to, restart)]
  if (part === 'node') return name === 'taints' ? taintEffects(change.from, change.to) : []
  if (part !== 'files' && part !== 'edits' && part !== 'links') return []
  const reader = readerOf(name)
  return [
    ...(reader === undefined ? [] : [restart(reader.because)]),
    ...(reader === undefined && (unitOfFile(name) ?? unitOfScript(name)) !== undefined ? [restart('its unit restarts')] : []),
    ...statedEffects(name, to, restart),
  ]
}

/** What the document says of a change of it. @param subject a path, or a package */
function statedEffects(subject: string, to: string | undefined, restart: (because: string) => Effect): Effect[] {
  const { units = [], rebootOn = [] }: HostDocument = to === undefined ? {} : parseHostDocument(to)
  const readers = units.filter((unit) => unit.restartOn?.includes(subject)).map((unit) => restart(`${unit.name} restarts on it`))
  return rebootOn.includes(subject) ? [{ ...restart('it counts after a reboot'), disruption: 'reboot' }, ...readers] : readers
}

type OfPair<Result> = (from: string | undefined, to: string | undefined) => Result

function rememberPairs<Result>(work: OfPair<Result>): OfPair<Result> {
  const known = new Map<string | undefined, Map<string | undefined, Result>>()
  return (from, to) => {
    const results = known.get(from) ?? new Map<string | undefined, Result>()
    known.set(from, results)
    const result = results.get(to) ?? work(from, to)
    results.set(to, result)
    return result
  }
}

function release(version: string): string {
  return version.replace(/^v/, '')
}

function minor(version: string): string {
  return release(version).split('.').slice(0, 2).join('.')
}
