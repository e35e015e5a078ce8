// SPDX-License-Identifier: MIT
/* The functions of RGL's weather extension, which is not public; declared as their users declare them. Except for
 * rgl_node_points_simulate_snow they answer RGL_NOT_IMPLEMENTED and make no node: programs that name them link and
 * load. rgl_get_extension_info gives 0 for RGL_EXTENSION_WEATHER. */
#ifndef RGL_API_EXTENSIONS_WEATHER_H
#define RGL_API_EXTENSIONS_WEATHER_H

#include <rgl/api/core.h>

/* Snow between the sensor and the points. Needs XYZ, DISTANCE and INTENSITY. rain_rate: mm/h of melted water;
 * beam_divergence: full angle, rad. The diameter, velocity, density, channels and threshold have no effect. */
RGL_API rgl_status_t rgl_node_points_simulate_snow(rgl_node_t* node, float min_range, float max_range, float rain_rate,
                                                   float mean_snowflake_diameter, float terminal_velocity,
                                                   float density, int32_t num_channels, float beam_divergence,
                                                   bool simulate_energy_loss, float snowflake_occupancy_threshold);
RGL_API rgl_status_t rgl_node_points_simulate_snow_configure_defaults(rgl_node_t node, int32_t snowflakes_id,
                                                                      float full_beam_intensity,
                                                                      float snowflakes_laser_retro);
/* Rain. */
RGL_API rgl_status_t rgl_node_points_simulate_rain(rgl_node_t* node, float min_range, float max_range, float rain_rate,
                                                   int32_t num_channels, float beam_divergence,
                                                   bool simulate_energy_loss, int32_t numerical_threshold);
RGL_API rgl_status_t rgl_node_points_simulate_rain_configure_defaults(rgl_node_t node, int32_t droplets_id,
                                                                      float full_beam_intensity,
                                                                      float droplets_laser_retro);
/* Fog. */
RGL_API rgl_status_t rgl_node_points_simulate_fog(rgl_node_t* node, float attenuation_coefficient,
                                                  float near_cross_point, float far_cross_point);
RGL_API rgl_status_t rgl_node_points_simulate_fog_configure_defaults(rgl_node_t node, int32_t fog_id,
                                                                     float fog_laser_retro);

#endif
