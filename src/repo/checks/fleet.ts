import type { Draft } from '../draft.ts'
import { type Problem, wholeFile } from '../problem.ts'

/** Without a Fleet a repository may be anything: an empty folder, or the wrong one, must not empty a fleet. */
export function checkFleet({ declared }: Draft): Problem[] {
  if (declared.Fleet.size > 0) return []
  const remedy =
    'name the folder of a fleet, write a new one with nodewave init, or add: {apiVersion: nodewave.io/v1alpha1, kind: Fleet, metadata: {name: …}, spec: {}}'
  return [
    {
      severity: 'error',
      reason: 'MissingReference',
      at: wholeFile('fleet.yaml'),
      message: 'the repository has no Fleet',
      remedy,
    },
  ]
}
