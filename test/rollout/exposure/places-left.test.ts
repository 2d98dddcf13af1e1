import { expect, test } from 'vitest'
import { type PlacedCandidate, placesLeft, type WaveSize } from '../../../src/rollout/exposure/waves.ts'
import type { WavePolicy } from '../../../src/rollout/model/policy.ts'
import { aWave } from '../builders/policies.ts'

const sound = aMember('Sound', false)
const exposed = aMember('Sound', true)
const unsound = aMember('Unsound', false)
const tried = aMember('Tried', true)

function aMember(place: PlacedCandidate['place'], isExposed: boolean): PlacedCandidate {
  return { name: 'a', labels: {}, place, isExposed, assigned: isExposed }
}

interface Case {
  readonly what: string
  readonly waves: readonly WavePolicy[]
  readonly members: readonly PlacedCandidate[]
  readonly sizes?: readonly WaveSize[]
  readonly places: number
}

const one = [aWave('canary', 1)]
const two = [aWave('canary', 2)]

test.each<Case>([
  { what: 'none where no node is', waves: one, members: [], places: 0 },
  { what: 'none where no wave is open', waves: [], members: [sound], places: 0 },
  { what: 'the one of a canary', waves: one, members: [sound], places: 1 },
  { what: 'no more than the wave is large', waves: one, members: [sound, sound, sound], places: 1 },
  { what: 'no more than there are sound nodes', waves: two, members: [sound], places: 1 },
  { what: 'those of all open waves', waves: [...one, aWave('early', 2)], members: [sound, sound, sound, sound], places: 3 },
  { what: 'none of a sound node that has been assigned', waves: two, members: [exposed], places: 0 },
  {
    what: 'none of a sound node that an earlier try has assigned it',
    waves: two,
    members: [{ ...sound, assigned: true }],
    places: 0,
  },
  { what: 'one less for an unsound node', waves: two, members: [unsound, sound, sound], places: 1 },
  { what: 'one less for a node that was tried', waves: two, members: [tried, sound, sound], places: 1 },
  { what: 'none when as many were tried as the wave is large', waves: two, members: [tried, tried, sound], places: 0 },
  { what: 'none when more were tried', waves: one, members: [tried, tried, sound], places: 0 },
  { what: 'none of a wave by labels', waves: [aWave('canary', { zone: 'a' })], members: [sound], places: 0 },
  {
    what: 'of a percentage as many as when the wave opened',
    waves: [aWave('canary', '50%')],
    members: [sound, sound, sound, sound],
    sizes: [{ name: 'canary', nodes: 1 }],
    places: 1,
  },
  {
    what: 'of a count that a commit made smaller no more than that',
    waves: one,
    members: [sound, sound],
    sizes: [{ name: 'canary', nodes: 2 }],
    places: 1,
  },
  {
    what: 'of a wave that was not open yet as many as it takes now',
    waves: two,
    members: [sound, sound],
    sizes: [{ name: 'other', nodes: 1 }],
    places: 2,
  },
])('placesLeft are $what', ({ waves, members, sizes, places }) => {
  expect(placesLeft(waves, { members, division: { nodes: members, sizes } })).toBe(places)
})
