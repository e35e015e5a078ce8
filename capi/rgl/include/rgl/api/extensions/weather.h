// SPDX-License-Identifier: MIT
/* The function of RGL's weather extension, which is not public; declared as its users declare it. It is there so that
 * programs which name it link and load; it answers RGL_NOT_IMPLEMENTED and makes no node. rgl_get_extension_info says 0
 * for RGL_EXTENSION_WEATHER. */
#ifndef RGL_API_EXTENSIONS_WEATHER_H
#define RGL_API_EXTENSIONS_WEATHER_H

#include <rgl/api/core.h>

/* Snow between the sensor and what it sees. */
RGL_API rgl_status_t rgl_node_points_simulate_snow(rgl_node_t* node, float min_range, float max_range, float rain_rate,
                                                   float mean_snowflake_diameter, float terminal_velocity,
                                                   float density, int32_t num_channels, float beam_divergence,
                                                   bool simulate_energy_loss, float snowflake_occupancy_threshold);

#endif
