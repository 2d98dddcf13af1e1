/** Runs before each file of tests. */
import fc from 'fast-check'
import { propertySeed } from './seed.ts'

const seed = propertySeed(process.env.FC_SEED)
if (seed !== undefined) fc.configureGlobal({ seed })
