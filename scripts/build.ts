/** Builds what the package ships into `dist/`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from './build-package.ts'

const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
await buildPackage(root, join(root, 'dist'))
