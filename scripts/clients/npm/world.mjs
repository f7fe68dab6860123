// Tells what scripts/clients/world made for every client. GATEHOUSE_WORLD names the file
// with it.
import { readFileSync } from 'node:fs'

export const world = JSON.parse(readFileSync(process.env.GATEHOUSE_WORLD, 'utf8'))
