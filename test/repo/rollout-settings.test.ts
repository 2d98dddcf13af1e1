import { expect, test } from 'vitest'
import { rolloutSettings } from '../../src/repo/rollout-settings.ts'

const nodeSelector = { matchLabels: {} }

test('rolloutSettings leaves nothing open when nobody states anything', () => {
  expect(rolloutSettings({}, { nodeSelector })).toEqual({
    waves: [{ name: 'all', nodes: { percent: 100 }, soak: 0, manual: false }],
    maxUnavailable: { count: 1 },
    maxFailures: { count: 0 },
    onFailure: 'Rollback',
    allowDowngrade: false,
    applyTimeout: 600_000,
    trial: 120_000,
    drain: { mode: 'Auto', timeout: 900_000, onTimeout: 'Wait', deleteEmptyDirData: false, force: false },
    proof: { mode: 'Auto', timeout: 120_000 },
    disruption: {},
    zones: 'Any',
    cordoned: 'Skip',
    windows: [],
    reboot: { whenRequired: 'Never', timeout: 600_000 },
    rollbackOutsideWindows: true,
    gates: [],
  })
})

test('rolloutSettings takes the pool before the Fleet, field by field', () => {
  const fleet = { rollout: { maxUnavailable: { count: 3 }, trial: 1000, drain: { mode: 'Never', timeout: 5000 } } } as const
  const pool = { nodeSelector, rollout: { maxUnavailable: { percent: 10 }, drain: { mode: 'Auto' } } } as const

  expect(rolloutSettings(fleet, pool)).toMatchObject({
    maxUnavailable: { percent: 10 },
    trial: 1000,
    drain: { mode: 'Auto', timeout: 5000 },
  })
})

test('rolloutSettings joins what Fleet and pool say of disruptions', () => {
  const fleet = {
    rollout: { disruption: { minorVersion: 'reboot', fields: { maxPods: 'drain', clusterDNS: 'drain' } } },
  } as const
  const pool = { nodeSelector, rollout: { disruption: { fields: { clusterDNS: 'restart' } } } } as const

  expect(rolloutSettings(fleet, pool).disruption).toEqual({
    minorVersion: 'reboot',
    fields: { maxPods: 'drain', clusterDNS: 'restart' },
  })
})

test('rolloutSettings fills in what a wave leaves out', () => {
  const rollout = {
    waves: [
      { name: 'canary', nodes: { count: 1 }, soak: 60_000 },
      { name: 'early', nodes: { percent: 10 } },
      { name: 'swift', nodes: { percent: 10 }, soak: 0 },
      { name: 'rest', nodes: { percent: 100 } },
    ],
  }

  expect(rolloutSettings({ rollout }, { nodeSelector }).waves).toEqual([
    { name: 'canary', nodes: { count: 1 }, soak: 60_000, manual: false },
    { name: 'early', nodes: { percent: 10 }, soak: 300_000, manual: false },
    { name: 'swift', nodes: { percent: 10 }, soak: 0, manual: false },
    { name: 'rest', nodes: { percent: 100 }, soak: 0, manual: false },
  ])
})

test('rolloutSettings lets a wave soak that others follow, also when those are not stated', () => {
  const rollout = { waves: [{ name: 'canary', nodes: { count: 1 } }] }

  expect(rolloutSettings({ rollout }, { nodeSelector }).waves).toMatchObject([{ name: 'canary', soak: 300_000 }])
})
