import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const FULL = 'authentication: {anonymous: {enabled: false}}, authorization: {mode: Webhook}, clusterDNS: [10.96.0.10]'

interface Given {
  readonly mode?: string
  readonly flags?: string
  readonly a?: string
  readonly b?: string
}

function problems({ mode = 'configMode: overlay', flags = '', a = '', b = '' }: Given): string[] {
  const files = {
    'p.yaml': aDocument(
      'NodePool',
      'p',
      `spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet: {config: [a, b], ${mode}, flags: {${flags}}}\n`,
    ),
    'a.yaml': aDocument('KubeletConfig', 'a', `spec: {config: {${a}}}\n`),
    'b.yaml': aDocument('KubeletConfig', 'b', `spec: {config: {${b}}}\n`),
  }
  return problemsOf(files).map((text) => {
    const [place = '', , ...told] = text.split('\n')
    return [place.split(' ')[0], ...told.map((line) => line.trim())].join(' ')
  })
}

test('values of two documents that the kubelet refuses together are an error', () => {
  expect(problems({ a: 'imageGCLowThresholdPercent: 80', b: 'imageGCHighThresholdPercent: 70' })).toEqual([
    'a.yaml:4:45 imageGCLowThresholdPercent must be below imageGCHighThresholdPercent set both',
  ])
})

test('a flag and a field that the kubelet refuses together are an error', () => {
  expect(problems({ flags: 'serialize-image-pulls: true', a: 'maxParallelImagePulls: 5' })).toEqual([
    'a.yaml:4:40 maxParallelImagePulls above 1 needs serializeImagePulls: false set serializeImagePulls: false, or take it out',
  ])
})

test('a value that the file of a host may go with is a warning, and an error where there is no such file', () => {
  expect(problems({ a: 'systemCgroups: /system' })).toEqual([
    'a.yaml:4:32 warning: systemCgroups needs cgroupRoot; the kubelet does not start unless a file of the host says so set cgroupRoot: /',
  ])
  expect(problems({ mode: 'configMode: full', a: `${FULL}, systemCgroups: /system` })).toEqual([
    'a.yaml:4:137 systemCgroups needs cgroupRoot set cgroupRoot: /',
  ])
})

test('a field without the feature gate that it needs is told, and one with it is not', () => {
  const config = `${FULL}, enableSystemLogQuery: true`
  expect(problems({ mode: 'configMode: full', a: `${config}, featureGates: {NodeLogQuery: false}` })).toEqual([
    expect.stringContaining('enableSystemLogQuery needs the feature gate NodeLogQuery set featureGates: {NodeLogQuery: true}'),
  ])
  expect(problems({ mode: 'configMode: full', flags: 'feature-gates: "NodeLogQuery=true"', a: config })).toEqual([])
})

test('what a later document takes out counts no more', () => {
  expect(problems({ mode: 'configMode: full', a: `${FULL}, systemCgroups: /system`, b: 'systemCgroups: null' })).toEqual([])
})

test('a number that the kubelet reads as octal in its own file is refused', () => {
  expect(problems({ a: 'maxPods: 0110' })).toEqual([
    "a.yaml:4:26 0110 is 110 here, and 72 in the kubelet's own file write it without the leading 0",
  ])
  expect(problems({ a: 'maxPods: 089' })[0]).toContain("089 is 89 here, and no number in the kubelet's own file")
  expect(problems({ a: 'maxPods: 110, memoryThrottlingFactor: 0.9' })).toEqual([])
})
