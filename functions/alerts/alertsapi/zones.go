package alertsapi

import _ "time/tzdata" // for mappings that name a zone, where the system has no time zones
