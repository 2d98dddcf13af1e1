import { expect, test } from 'vitest'
import { importedBy, importsOf, stagesFor, testsReaching } from './reach.ts'

const imports = new Map([
  ['src/rollout/a.ts', []],
  ['src/rollout/b.ts', ['src/rollout/a.ts']],
  ['test/rollout/b.test.ts', ['src/rollout/b.ts']],
  ['test/rollout/a.test.ts', ['src/rollout/a.ts', 'src/rollout/b.ts']],
  ['test/cli/b.test.ts', ['src/rollout/b.ts']],
  ['test/slow/all.test.ts', ['src/rollout/b.ts']],
  ['test/rollout/other.test.ts', ['src/rollout/c.ts']],
])

test('importsOf finds imports, exports and imports at run time, and no packages', () => {
  const source = [
    "import { expect } from 'vitest'",
    "import {\n  x,\n} from '../../src/x.ts'",
    "export * from './y.ts'",
    "await import('./z.ts')",
    "import './w.ts'",
  ]
  expect(importsOf('test/here/a.test.ts', source.join('\n'))).toEqual([
    'src/x.ts',
    'test/here/y.ts',
    'test/here/z.ts',
    'test/here/w.ts',
  ])
})

test('testsReaching tells over how many imports each test reaches a file', () => {
  expect([...testsReaching('src/rollout/a.ts', imports)]).toEqual([
    ['test/rollout/a.test.ts', 1],
    ['test/rollout/b.test.ts', 2],
    ['test/cli/b.test.ts', 2],
    ['test/slow/all.test.ts', 2],
  ])
})

test('importedBy is a file with all that it imports', () => {
  expect(importedBy('test/rollout/b.test.ts', imports)).toEqual([
    'src/rollout/a.ts',
    'src/rollout/b.ts',
    'test/rollout/b.test.ts',
  ])
})

test('stagesFor runs importers first, then the folder, then slow suites, and nothing that does not reach the file', () => {
  expect(stagesFor('src/rollout/a.ts', imports, { slow: ['test/slow'], isLong: () => false })).toEqual([
    ['test/rollout/a.test.ts'],
    ['test/rollout/b.test.ts'],
    [],
    [],
    ['test/slow/all.test.ts'],
  ])
})

test('stagesFor runs tests of the same subfolder before others of the folder, and long ones last', () => {
  const below = new Map([
    ['src/agent/loop/a.ts', []],
    ['src/agent/loop/b.ts', ['src/agent/loop/a.ts']],
    ['test/agent/host/b.test.ts', ['src/agent/loop/b.ts']],
    ['test/agent/loop/b.test.ts', ['src/agent/loop/b.ts']],
  ])
  const stages = (isLong: (test: string) => boolean) => stagesFor('src/agent/loop/a.ts', below, { slow: [], isLong })
  expect(stages(() => false)).toEqual([[], ['test/agent/loop/b.test.ts'], ['test/agent/host/b.test.ts'], []])
  expect(stages((test) => test.includes('loop'))).toEqual([[], [], ['test/agent/host/b.test.ts'], ['test/agent/loop/b.test.ts']])
})
