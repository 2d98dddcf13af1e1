import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const fleetWith = (...behaviors: string[]) =>
  problemsOf({
    'h.yaml': aDocument('HostProfile', 'h', 'spec: {swap: off}\n'),
    'p.yaml': aDocument(
      'NodePool',
      'p',
      `spec: {nodeSelector: {matchLabels: {a: b}}, hostProfiles: [h], kubelet: {config: [${behaviors.map((_, at) => `c${at}`).join(', ')}]}}\n`,
    ),
    ...Object.fromEntries(
      behaviors.map((behavior, at) => [
        `c${at}.yaml`,
        aDocument('KubeletConfig', `c${at}`, `spec: {config: {memorySwap: {swapBehavior: ${behavior}}}}\n`),
      ]),
    ),
  })

test('a kubelet that lets pods swap on hosts without swap is a conflict', () => {
  expect(fleetWith('LimitedSwap')[0]).toContain(
    'HostProfile "h" has swap: off, and KubeletConfig "c0" has memorySwap.swapBehavior: LimitedSwap',
  )
})

test('the last configuration that names a behavior counts', () => {
  expect(fleetWith('LimitedSwap', 'NoSwap')).toEqual([])
  expect(fleetWith()).toEqual([])
})
