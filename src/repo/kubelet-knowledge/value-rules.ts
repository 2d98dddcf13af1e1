import { LABEL_KEY, LABEL_VALUE } from '../schema/values.ts'
import { readGoDuration } from './go-duration.ts'
import { isQuantity } from './quantity.ts'
import { exceedsMemory, isTemplate, quantityOfOnes } from './quantity-template.ts'

/** What a value has to be beyond its type, its range and its words. */
export interface ValueRule {
  readonly expected: string
  readonly takes: (value: unknown) => boolean
  /** The first minor that asks for it. */
  readonly since?: number
}

/** Words that the kubelet asks for after its validation, when it makes what they name; by `Struct.field`. */
export const LATER_WORDS: Readonly<Record<string, readonly string[]>> = {
  'KubeletConfiguration.cgroupDriver': ['cgroupfs', 'systemd'],
  'KubeletConfiguration.configMapAndSecretChangeDetectionStrategy': ['Get', 'Cache', 'Watch'],
  'KubeletConfiguration.cpuManagerPolicy': ['none', 'static'],
  'KubeletConfiguration.memoryManagerPolicy': ['None', 'Static'],
  'KubeletConfiguration.tlsMinVersion': ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
  'KubeletAuthorization.mode': ['AlwaysAllow', 'Webhook'],
  'LoggingConfiguration.format': ['text', 'json'],
}

const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'allocatableMemory.available',
  'pid.available',
]
const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid']
const NO_GRACE: ValueRule = { expected: '"0s", or at least "1s"', takes: onDuration((time) => time === 0 || time >= 1000) }
const THRESHOLDS: ValueRule = {
  expected: 'thresholds such as {memory.available: 500Mi, nodefs.available: 10%}, by signals that the kubelet knows',
  takes: (value) => areEntries(value, (signal, text) => SIGNALS.includes(signal) && isThreshold(text)),
}
const RESERVATION: ValueRule = {
  expected: `quantities of ${RESERVABLE.join(', ')}, none of them negative, nor more than a machine has (node.memory counts bytes)`,
  takes: (value) => areTexts(value, (name, text) => RESERVABLE.includes(name) && isReservation(name, text)),
}

/** By `Struct.field`. Each was compared with the kubelet's own verdicts: see docs/testing.md. */
export const VALUE_RULES: Readonly<Record<string, ValueRule>> = {
  'KubeletConfiguration.containerLogMonitorInterval': {
    expected: 'a duration of at least "3s"',
    takes: onDuration((time) => time >= 3000),
  },
  'KubeletConfiguration.cpuCFSQuotaPeriod': {
    expected: 'a duration from "1ms" to "1s"',
    takes: onDuration((time) => time >= 1 && time <= 1000),
  },
  'KubeletConfiguration.evictionHard': THRESHOLDS,
  'KubeletConfiguration.evictionSoft': THRESHOLDS,
  'KubeletConfiguration.evictionSoftGracePeriod': {
    expected: 'durations by signals that the kubelet knows, such as {memory.available: 1m30s}',
    takes: (value) => areEntries(value, (signal, text) => SIGNALS.includes(signal) && (readGoDuration(text) ?? -1) >= 0),
  },
  'KubeletConfiguration.imageMaximumGCAge': { expected: 'a duration, not below zero', takes: onDuration((time) => time >= 0) },
  'KubeletConfiguration.imageMinimumGCAge': {
    expected: 'a duration, not below zero',
    takes: onDuration((time) => time >= 0),
    since: 36,
  },
  'KubeletConfiguration.kubeReserved': RESERVATION,
  'KubeletConfiguration.memoryThrottlingFactor': {
    expected: 'a number above 0 and at most 1.0',
    takes: (value) => typeof value !== 'number' || (value > 0 && value <= 1),
  },
  'KubeletConfiguration.podLogsDir': {
    expected: 'an absolute path of ASCII characters, without ".", ".." and doubled slashes',
    takes: (value) => typeof value !== 'string' || value === '' || isCleanPath(value),
  },
  'KubeletConfiguration.registerWithTaints': {
    expected:
      'taints such as {key: dedicated, value: gpu, effect: NoSchedule} with the effects NoSchedule, PreferNoSchedule, NoExecute',
    takes: (value) => !Array.isArray(value) || value.every(isTaint),
  },
  'KubeletConfiguration.reservedMemory': {
    expected: 'limits of memory or hugepages-<size> above zero, and each once for a NUMA node',
    takes: (value) => !Array.isArray(value) || areMemoryReservations(value),
  },
  'KubeletConfiguration.reservedSystemCPUs': {
    expected: 'numbers of CPUs such as "0-3,8"',
    takes: (value) => typeof value !== 'string' || isCpuSet(value),
  },
  'KubeletConfiguration.runOnce': { expected: 'false', takes: (value) => value !== true, since: 32 },
  'KubeletConfiguration.shutdownGracePeriod': NO_GRACE,
  'KubeletConfiguration.shutdownGracePeriodCriticalPods': NO_GRACE,
  'KubeletConfiguration.systemReserved': RESERVATION,
  'CrashLoopBackOffConfig.maxContainerRestartPeriod': {
    expected: 'a duration from "1s" to "300s"',
    takes: onDuration((time) => time >= 1000 && time < 300_001),
  },
  'LoggingConfiguration.flushFrequency': {
    expected: 'a duration above zero',
    takes: (value) => (typeof value === 'number' ? value >= 0 : onDuration((time) => time >= 0)(value)),
    since: 35,
  },
  'UserNamespaces.idsPerPod': {
    expected: 'a multiple of 65536 up to 4294901760',
    takes: (value) => typeof value !== 'number' || (value >= 65_536 && value % 65_536 === 0 && value <= 4_294_967_295),
  },
}

/** What is no duration is reported by the check of types. */
function onDuration(takes: (milliseconds: number) => boolean): (value: unknown) => boolean {
  return (value) => {
    const time = typeof value === 'string' ? readGoDuration(value) : undefined
    return time === undefined || takes(time)
  }
}

type Takes = (key: string, text: string) => boolean

/** Of a template only those rules judge that know what it may become. */
function areEntries(value: unknown, takes: Takes): boolean {
  return areTexts(value, (key, text) => isTemplate(text) || takes(key, text))
}

function areTexts(value: unknown, takes: Takes): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
  return Object.entries(value).every(([key, text]) => typeof text !== 'string' || takes(key, text))
}

function isReservation(name: string, text: string): boolean {
  const quantity = quantityOfOnes(text)
  return isQuantity(quantity) && !quantity.startsWith('-') && !(name === 'memory' && exceedsMemory(text))
}

function isThreshold(text: string): boolean {
  if (!text.endsWith('%')) return isQuantity(text) && !/^-|^\+?0*(?:\.0*)?(?:[A-Za-z]|$)/.test(text)
  const percent = Number(text.replace(/%+$/, ''))
  return text !== '%' && percent >= 0 && percent <= 100
}

function isCleanPath(path: string): boolean {
  const ascii = [...path].every((character) => character <= '\u007f')
  return (
    ascii &&
    (path === '/' ||
      (path.startsWith('/') &&
        path
          .slice(1)
          .split('/')
          .every((part) => !['', '.', '..'].includes(part))))
  )
}

const EFFECTS: readonly unknown[] = ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']

function isTaint(taint: unknown): boolean {
  if (typeof taint !== 'object' || taint === null) return true
  const { key = '', value = '', effect = '', timeAdded } = taint as Readonly<Record<string, unknown>>
  return (
    LABEL_KEY.test(String(key)) && LABEL_VALUE.test(String(value)) && EFFECTS.includes(effect) && (timeAdded ?? null) === null
  )
}

function areMemoryReservations(list: readonly unknown[]): boolean {
  const seen = new Set<string>()
  return list.every((each) => {
    const { numaNode = 0, limits = {} } = (each ?? {}) as { readonly numaNode?: unknown; readonly limits?: unknown }
    return Object.entries(limits ?? {}).every(([resource, amount]) => {
      const isNew = !seen.has(`${numaNode} ${resource}`)
      seen.add(`${numaNode} ${resource}`)
      return isNew && /^memory$|^hugepages-/.test(resource) && !/^[-+]?0*(?:\.0*)?(?:[A-Za-z]|$)/.test(String(amount))
    })
  })
}

function isCpuSet(text: string): boolean {
  if (text === '') return true
  return text.split(',').every((part) => {
    const [, first = '', last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? []
    return first !== '' && Number(first) <= Number(last)
  })
}
