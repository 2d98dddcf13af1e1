import { join } from 'node:path'
import { expect, test } from 'vitest'
import { productionPackages, readLock } from '../../scripts/image/production-packages.ts'

test('the image has what its package depends on, and no tool of development', () => {
  const packages = productionPackages(readLock(join(import.meta.dirname, '../..')))
  expect(packages).toEqual(
    expect.arrayContaining(['yaml', 'isomorphic-git', 'nodemailer', 'ssh2'].map((name) => `node_modules/${name}`)),
  )
  expect(packages.filter((path) => /typescript|vitest|esbuild|biome|@types|node-linux/.test(path))).toEqual([])
})

test('a package that two others want in different versions is in the image twice', () => {
  const lock = {
    packages: {
      '': { dependencies: { one: '1', shared: '2' } },
      'node_modules/one': { dependencies: { shared: '1', leaf: '1' } },
      'node_modules/one/node_modules/shared': { dependencies: { leaf: '1' } },
      'node_modules/shared': {},
      'node_modules/leaf': {},
      'node_modules/tool': { dev: true },
      'node_modules/nodemailer': { dev: true },
      'node_modules/ssh2': { dev: true },
    },
  }
  expect(productionPackages(lock)).toEqual([
    'node_modules/leaf',
    'node_modules/nodemailer',
    'node_modules/one',
    'node_modules/one/node_modules/shared',
    'node_modules/shared',
    'node_modules/ssh2',
  ])
})
