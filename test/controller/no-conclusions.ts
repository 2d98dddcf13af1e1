import type { FleetConclusions } from '../../src/controller/metrics/telemetry.ts'

export const NO_CONCLUSIONS: FleetConclusions = {
  assessments: () => [],
  waiting: () => undefined,
  plan: () => Promise.resolve(undefined),
  nodeChanges: () => Promise.resolve(undefined),
}
